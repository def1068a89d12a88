import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { EnvRegistry } from "@praxis/env";
import { loadPolyGuard } from "@praxis/polyguard";
import { createServer } from "@praxis/server";
import type { Measurement } from "./figures.ts";

const RATE_PER_S = 50;
const WARM_UP = 500;
const REQUESTS = 3_000;

/** Twelve drugs of one patient: name, dose in mg, doses a day. */
const LIST: readonly (readonly [string, number, number])[] = [
  ["warfarin", 4, 1],
  ["bisoprolol", 5, 1],
  ["furosemide", 40, 1],
  ["spironolactone", 25, 1],
  ["lisinopril", 10, 1],
  ["digoxin", 0.125, 1],
  ["simvastatin", 20, 1],
  ["metformin", 500, 2],
  ["sertraline", 50, 1],
  ["omeprazole", 20, 1],
  ["levothyroxine", 0.075, 1],
  ["acetaminophen", 500, 3],
];
const CONDITIONS = ["I48.0", "I50.2", "E11.9", "E78.5", "F32.9", "K21.9", "E03.9", "M17.0"];

function order(id: string, [text, value, frequency]: (typeof LIST)[number], status: string): unknown {
  return {
    resourceType: "MedicationRequest",
    id,
    status,
    intent: "order",
    medicationCodeableConcept: { text },
    authoredOn: "2025-06-01",
    dosageInstruction: [
      {
        timing: { repeat: { frequency, period: 1, periodUnit: "d" } },
        doseAndRate: [{ doseQuantity: { value, unit: "mg" } }],
      },
    ],
  };
}

const bundle = (resources: readonly unknown[]): unknown => ({
  resourceType: "Bundle",
  type: "searchset",
  entry: resources.map((resource) => ({ resource })),
});

const lab = (code: string, value: number, unit: string): unknown => ({
  resourceType: "Observation",
  id: `o${code}`,
  status: "final",
  code: { coding: [{ system: "http://loinc.org", code }] },
  effectiveDateTime: "2026-02-20",
  valueQuantity: { value, unit, code: unit },
});

/** `order-select` for the patient with one more drug. */
function requestFor(draft: (typeof LIST)[number], instance: number): string {
  return JSON.stringify({
    hook: "order-select",
    hookInstance: `bench-${instance}`,
    context: {
      userId: "Practitioner/1",
      patientId: "p",
      selections: ["MedicationRequest/d1"],
      draftOrders: bundle([order("d1", draft, "draft")]),
    },
    prefetch: {
      patient: { resourceType: "Patient", id: "p", birthDate: "1944-03-02", gender: "female" },
      medications: bundle(LIST.map((drug, i) => order(`m${i}`, drug, "active"))),
      conditions: bundle(
        CONDITIONS.map((code) => ({
          resourceType: "Condition",
          id: code,
          clinicalStatus: { coding: [{ code: "active" }] },
          code: { coding: [{ system: "http://hl7.org/fhir/sid/icd-10-cm", code }] },
        })),
      ),
      allergies: bundle([]),
      observations: bundle([
        lab("2160-0", 1.2, "mg/dL"),
        lab("2823-3", 4.6, "mmol/L"),
        lab("2951-2", 138, "mmol/L"),
        lab("29463-7", 64, "kg"),
        lab("8302-2", 160, "cm"),
      ]),
    },
  });
}

const DRAFTS: readonly (typeof LIST)[number][] = [
  ["clarithromycin", 500, 2],
  ["ibuprofen", 400, 3],
  ["amiodarone", 200, 1],
  ["amlodipine", 5, 1],
  ["tramadol", 50, 3],
];

/** CDS Hooks: latency of order-select for a patient on twelve drugs, at 50 requests a second over HTTP. */
export async function measureCds(report: (measurement: Measurement) => void): Promise<void> {
  const server = createServer({
    registry: new EnvRegistry([loadPolyGuard({ cds: { today: () => "2026-03-02" } })]),
    port: 0,
  });
  const url = `${(await server.listen()).url}/polyguard/cds-services/polyguard-order-select`;
  const bodies = DRAFTS.map(requestFor);
  const call = async (i: number): Promise<number> => {
    const begun = performance.now();
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: bodies[i % bodies.length]!,
    });
    const { cards } = (await response.json()) as { readonly cards: readonly unknown[] };
    if (response.status !== 200 || !Array.isArray(cards)) throw new Error(`HTTP ${response.status}`);
    return performance.now() - begun;
  };
  try {
    for (let i = 0; i < WARM_UP; i++) await call(i);
    const running: Promise<number>[] = [];
    const begun = performance.now();
    for (let i = 0; i < REQUESTS; i++) {
      // Open loop: a slow answer does not put the next request off.
      const wait = begun + (1000 * i) / RATE_PER_S - performance.now();
      if (wait > 0) await sleep(wait);
      running.push(call(i));
    }
    const latencies = (await Promise.all(running)).sort((a, b) => a - b);
    const [low, p99, high] = [0.985, 0.99, 0.995].map((share) => latencies[Math.floor(share * REQUESTS)]!);
    report({
      id: "polyguard.cds_p99",
      value: p99!,
      unit: "ms",
      goal: "< 20",
      peer: null,
      n: REQUESTS,
      interval: [low!, high!],
      note: `order-select for a patient on ${LIST.length} drugs over HTTP, ${RATE_PER_S} requests a second, client in the same process; the interval is from the 98.5th to the 99.5th percentile, the median is ${latencies[REQUESTS / 2]!.toFixed(1)} ms`,
    });
  } finally {
    await server.close();
  }
}
