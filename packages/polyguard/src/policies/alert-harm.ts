import { HAZARDS } from "../engine/hazard-table.ts";
import type { ManagementCode } from "../kb/domains.ts";
import type { KnownAlert } from "../observation/types.ts";
import type { Chart } from "./chart.ts";
import { worthOf } from "./drug-worth.ts";

/** What the regimen rules ask for, in the codes of the pair rules. */
const REGIMEN_CODES: Readonly<Record<string, readonly ManagementCode[]>> = {
  RG1: ["STOP_ONE", "SUBSTITUTE"],
  RG2: ["STOP_ONE", "SUBSTITUTE"],
  RG3: ["STOP_ONE", "SUBSTITUTE"],
  RG4: ["STOP_ONE", "SUBSTITUTE"],
  RG5: ["STOP_ONE", "SUBSTITUTE"],
  RG6: ["STOP_ONE"],
  RG7: ["PROTECT"],
  RG8: ["PROTECT"],
  RG9: ["STOP_ONE"],
};

/** Management codes of an alert. */
export function codesOf(alert: KnownAlert): readonly ManagementCode[] {
  return alert.hit?.managementCodes ?? REGIMEN_CODES[alert.ruleId] ?? [];
}

/** True when one drug of the alert has to go: the hit is contraindicated, or its rule says avoid or stop one. */
export function needsRemoval(alert: KnownAlert): boolean {
  if (alert.severity === "contraindicated") return true;
  return codesOf(alert).some((code) => code === "AVOID" || code === "STOP_ONE");
}

/** True for an alert whose condition does not hold on what is known: nothing has to be done about it. */
export function isFalseAlarm(chart: Chart, alert: KnownAlert): boolean {
  return alert.hit !== null && !chart.known.pairHits.includes(alert.hit);
}

/** Excess of a hit by severity, and the share of an effect that a hit on it takes. assumption: sizes of the simulator's tables. */
const EXCESS = { moderate: 0.4, major: 1.5, contraindicated: 4 };
const EFFECT_LOST = { moderate: 0.2, major: 0.4, contraindicated: 0.6 };

/** Yearly utility that an alert is thought to cost, by the base rate of its harm under the list's risk points. */
export function harmOf(chart: Chart, alert: KnownAlert): number {
  if (alert.domain === "EFFICACY_LOSS") {
    const object = alert.hit?.objectIndex;
    const medication = chart.legality.listed.find(({ drugIndex }) => drugIndex === object);
    return medication === undefined ? 0 : EFFECT_LOST[alert.severity] * worthOf(chart, medication);
  }
  const { lambda0, weight, beta, cap, points } = HAZARDS[alert.domain];
  let sum = 0;
  for (const { drugIndex } of chart.legality.listed) sum += points(chart.kb.drugs[drugIndex]!);
  return weight * Math.min(cap, lambda0 * Math.exp(beta * sum) * EXCESS[alert.severity]);
}
