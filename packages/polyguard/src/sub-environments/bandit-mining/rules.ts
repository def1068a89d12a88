import { didYouMean } from "@praxis/env";
import type { LegalityContext } from "../../actions/legality-context.ts";
import type { LegalityRule, RuleHit } from "../../actions/rule.ts";
import { readFinding } from "./findings.ts";
import { PROBE_SIZES } from "./tiers.ts";

/** What the rules need to know of a mining task; the observation shows it too. */
export interface KnownMining {
  readonly drugIds: readonly string[];
  readonly probesLeft: number;
}

/** Probes are of the task's drugs, of legal size and within what is left. Not judged where the task is not known. */
const checkProbes: LegalityRule = (context, { payload }) => {
  const task = knownMining(context);
  if (task === null || payload.type !== "PROBE_COMBINATION") return null;
  if (payload.combinations.length > task.probesLeft)
    return refuse(`${payload.combinations.length} probes asked for, ${task.probesLeft} left`);
  for (const combination of payload.combinations) {
    if (combination.length < PROBE_SIZES[0] || combination.length > PROBE_SIZES[1])
      return refuse(`a probe has ${PROBE_SIZES[0]} to ${PROBE_SIZES[1]} drugs, not ${combination.length}`);
    if (new Set(combination).size < combination.length) return refuse("a probe names a drug twice");
    const unknown = combination.find((id) => !task.drugIds.includes(id));
    if (unknown !== undefined)
      return refuse(`no drug '${unknown}' in bandit.drugs.${didYouMean(unknown, task.drugIds)}`);
  }
  return null;
};

/** Findings are well formed and of the task's drugs. */
const checkFindings: LegalityRule = (context, { payload }) => {
  const task = knownMining(context);
  if (task === null || payload.type !== "DECLARE_FINDINGS") return null;
  for (const text of payload.findings) {
    const { problem } = readFinding(task.drugIds, text);
    if (problem !== null) return refuse(`finding ${problem}`);
  }
  return null;
};

/** Rules of a mining task beside the general ones. */
export const MINING_RULES: readonly LegalityRule[] = [checkProbes, checkFindings];

function knownMining({ known: { own } }: LegalityContext): KnownMining | null {
  return typeof own === "object" && own !== null && "probesLeft" in own && "drugIds" in own
    ? (own as KnownMining)
    : null;
}

/** A free payload outside its bounds breaks V02, as a payload that no candidate carries does. */
function refuse(text: string): RuleHit {
  return { id: "V02", text, facts: [] };
}
