import { describe, expect, test } from "vitest";
import { alignAction } from "../src/actions/align.ts";
import { isLegalPayload, verifyAction, verifyPayload } from "../src/actions/legality.ts";
import { parseRawAction, typedVerdict } from "../src/actions/parse.ts";
import type { ActionPayload } from "../src/actions/types.ts";
import type { Allergy } from "../src/world/types.ts";
import {
  add,
  adjust,
  drugIndex,
  type KnownOverrides,
  makeContext,
  makeTaper,
  offer,
  stop,
  substitute,
  take,
} from "./known-fixtures.ts";

const hardOf = (overrides: KnownOverrides, payload: ActionPayload): string[] =>
  verifyPayload(makeContext(overrides), payload).hard.map(({ id }) => id);
const softOf = (overrides: KnownOverrides, payload: ActionPayload, rationale: string | null = null): string[] =>
  verifyPayload(makeContext(overrides), payload, rationale).soft.map(({ id }) => id);
const allergy = (substance: string, changes: Partial<Allergy> = {}): Allergy => ({
  id: "a1",
  substance,
  reaction: "rash",
  severity: "moderate",
  isVerified: true,
  ...changes,
});
const taperOf = (medRef: string, stepPct: number, intervalDays: number): ActionPayload => ({
  type: "START_TAPER",
  medRef,
  taper: { stepPct, intervalDays },
  orders: [],
});
const clock = {
  day: 28,
  step: 3,
  visit: 2,
  stepsLeft: 10,
  visitsLeft: 6,
  changesLeft: 5,
  evidenceLeft: 4,
  reviewsLeft: 1,
};
const review = (id: string) => ({ reviewTo: "pharmacist", drugIndex: drugIndex(id), day: 0, validUntilStep: 9 });
const order = (code: string) => ({ code, drugIndex: null, startDay: 0, endDay: null });

/** One row a rule: what breaks it, and the nearest thing that does not. */
interface Row {
  readonly rule: string;
  readonly when: string;
  readonly breaks: readonly [KnownOverrides, ActionPayload];
  readonly keeps: readonly [KnownOverrides, ActionPayload];
}

const HARD: readonly Row[] = [
  {
    rule: "V03",
    when: "a target that is not on the list",
    breaks: [{ drugs: ["ibuprofen"] }, stop("m9")],
    keeps: [{ drugs: ["ibuprofen"] }, stop("m1")],
  },
  {
    rule: "V03",
    when: "adding what is on the list",
    breaks: [{ drugs: ["metformin"] }, add("metformin")],
    keeps: [{}, add("metformin")],
  },
  {
    rule: "V03",
    when: "replacing by what is on the list",
    breaks: [{ drugs: ["ibuprofen", "acetaminophen"] }, substitute("m1", "acetaminophen")],
    keeps: [{ drugs: ["ibuprofen"] }, substitute("m1", "acetaminophen")],
  },
  {
    rule: "V03",
    when: "continuing a taper that was never begun",
    breaks: [{ drugs: ["diazepam"] }, { type: "PAUSE_TAPER", medRef: "m1" }],
    keeps: [{ drugs: [{ id: "diazepam", taper: makeTaper() }] }, { type: "PAUSE_TAPER", medRef: "m1" }],
  },
  {
    rule: "V04",
    when: "the ingredient of a verified allergy",
    breaks: [{ allergies: [allergy("metformin")] }, add("metformin")],
    keeps: [{ allergies: [allergy("metformin", { isVerified: false })] }, add("metformin")],
  },
  {
    rule: "V04",
    when: "an NSAID after bronchospasm by aspirin",
    breaks: [{ allergies: [allergy("aspirin_low_dose", { reaction: "bronchospasm" })] }, add("ibuprofen")],
    keeps: [{ allergies: [allergy("aspirin_low_dose", { reaction: "rash" })] }, add("ibuprofen")],
  },
  {
    rule: "V04",
    when: "sacubitril after angio-oedema by an ACE inhibitor",
    breaks: [{ allergies: [allergy("lisinopril", { reaction: "angioedema" })] }, add("sacubitril_valsartan")],
    keeps: [{ allergies: [allergy("lisinopril", { reaction: "angioedema" })] }, add("losartan")],
  },
  {
    rule: "V05",
    when: "a contraindicated pair that the action creates",
    breaks: [{ drugs: ["clarithromycin"] }, add("simvastatin")],
    keeps: [{ drugs: ["clarithromycin"] }, add("pravastatin")],
  },
  {
    rule: "V05",
    when: "raising a drug of a contraindicated pair",
    breaks: [{ drugs: [{ id: "simvastatin", dosePerDay: 10 }, "clarithromycin"] }, adjust("m1", 20)],
    keeps: [{ drugs: [{ id: "simvastatin", dosePerDay: 20 }, "clarithromycin"] }, adjust("m1", 10)],
  },
  {
    rule: "V06",
    when: "a dose above the absolute limit",
    breaks: [{ drugs: ["ibuprofen"] }, adjust("m1", 10_000)],
    keeps: [{ drugs: ["ibuprofen"] }, adjust("m1", 800)],
  },
  {
    rule: "V06",
    when: "a weekly drug given daily",
    breaks: [{}, add("methotrexate_oral_weekly", 7.5, { dosesPerDay: 1 })],
    keeps: [{}, add("methotrexate_oral_weekly", 7.5)],
  },
  {
    rule: "V07",
    when: "a start against the renal rule",
    breaks: [{ crClMlPerMin: 20, egfrMlPerMin: 22 }, add("metformin")],
    keeps: [{ crClMlPerMin: 70, egfrMlPerMin: 72 }, add("metformin")],
  },
  {
    rule: "V07",
    when: "a renally cleared drug on an old kidney value",
    breaks: [{ kidneyAgeDays: 91 }, add("dabigatran")],
    keeps: [{ kidneyAgeDays: 90 }, add("dabigatran")],
  },
  {
    rule: "V07",
    when: "a renally cleared drug on no kidney value",
    breaks: [{ crClMlPerMin: null, egfrMlPerMin: null, kidneyAgeDays: null }, add("gabapentin")],
    keeps: [{ crClMlPerMin: null, egfrMlPerMin: null, kidneyAgeDays: null }, add("atorvastatin")],
  },
  {
    rule: "V08",
    when: "an abrupt stop after long use",
    breaks: [{ drugs: ["diazepam"] }, stop("m1")],
    keeps: [{ drugs: [{ id: "diazepam", startDay: -20 }] }, stop("m1")],
  },
  {
    rule: "V08",
    when: "a stop of unknown duration",
    breaks: [{ drugs: [{ id: "diazepam", startDay: null }] }, stop("m1")],
    keeps: [{ drugs: [{ id: "diazepam", startDay: null, isPrn: true }] }, stop("m1")],
  },
  {
    rule: "V08",
    when: "a swap out of the taper class",
    breaks: [{ drugs: ["sertraline"] }, substitute("m1", "melatonin")],
    keeps: [{ drugs: ["sertraline"] }, substitute("m1", "mirtazapine")],
  },
  {
    rule: "V08",
    when: "an abrupt stop without an emergency",
    breaks: [{ drugs: ["clonazepam"] }, stop("m1")],
    keeps: [{ drugs: ["clonazepam"], allergies: [allergy("clonazepam")] }, stop("m1")],
  },
  {
    rule: "V09",
    when: "a cut beyond the class maximum",
    breaks: [{ drugs: [{ id: "diazepam", dosePerDay: 10 }] }, adjust("m1", 5)],
    keeps: [{ drugs: [{ id: "diazepam", dosePerDay: 10 }] }, adjust("m1", 7.5)],
  },
  {
    rule: "V09",
    when: "a taper faster than the class allows",
    breaks: [{ drugs: ["diazepam"] }, taperOf("m1", 50, 14)],
    keeps: [{ drugs: ["diazepam"] }, taperOf("m1", 25, 14)],
  },
  {
    rule: "V09",
    when: "a taper with too short an interval",
    breaks: [{ drugs: ["diazepam"] }, taperOf("m1", 25, 7)],
    keeps: [{ drugs: ["diazepam"] }, taperOf("m1", 10, 14)],
  },
  {
    rule: "V09",
    when: "a cut too soon after the last one",
    breaks: [
      {
        clock,
        drugs: [
          {
            id: "diazepam",
            dosePerDay: 10,
            doseHistory: [
              { day: 0, dosePerDay: 12 },
              { day: 20, dosePerDay: 10 },
            ],
          },
        ],
      },
      adjust("m1", 8),
    ],
    keeps: [
      {
        clock,
        drugs: [
          {
            id: "diazepam",
            dosePerDay: 10,
            doseHistory: [
              { day: 0, dosePerDay: 12 },
              { day: 14, dosePerDay: 10 },
            ],
          },
        ],
      },
      adjust("m1", 8),
    ],
  },
  {
    rule: "V10",
    when: "a second drug of a class",
    breaks: [{ drugs: ["sertraline"] }, add("citalopram")],
    keeps: [{ drugs: ["sertraline"] }, add("citalopram", undefined, { crossOverFromMedRef: "m1" })],
  },
  {
    rule: "V11",
    when: "the only drug for a dangerous condition",
    breaks: [{ drugs: ["apixaban"], active: ["AF_STROKE"] }, stop("m1")],
    keeps: [{ drugs: ["apixaban"], active: ["AF_STROKE"], reviews: [review("apixaban")] }, stop("m1")],
  },
  {
    rule: "V11",
    when: "a hold of a vital drug",
    breaks: [
      { drugs: ["warfarin"], active: ["AF_STROKE"] },
      { type: "HOLD_DOSE", medRef: "m1" },
    ],
    keeps: [
      { drugs: [{ id: "warfarin", lastLevel: { code: "INR", value: 5.5, ageDays: 1 } }], active: ["AF_STROKE"] },
      { type: "HOLD_DOSE", medRef: "m1" },
    ],
  },
  {
    rule: "V11",
    when: "a stop without the declared switch",
    breaks: [{ drugs: ["warfarin"], active: ["AF_STROKE"] }, stop("m1")],
    keeps: [
      { drugs: ["warfarin"], active: ["AF_STROKE"] },
      { type: "STOP_DRUG", medRef: "m1", switchToDrugIndex: drugIndex("apixaban"), orders: [] },
    ],
  },
  {
    rule: "V12",
    when: "a narrow-index increase without a recent level",
    breaks: [{ drugs: [{ id: "warfarin", dosePerDay: 5 }] }, adjust("m1", 6)],
    keeps: [
      { drugs: [{ id: "warfarin", dosePerDay: 5 }], values: { INR: { value: 1.8, measuredDay: -7 } } },
      adjust("m1", 6),
    ],
  },
  {
    rule: "V12",
    when: "a change beyond the step limit",
    breaks: [{ drugs: [{ id: "warfarin", dosePerDay: 5 }] }, adjust("m1", 2)],
    keeps: [{ drugs: [{ id: "warfarin", dosePerDay: 5 }] }, adjust("m1", 4)],
  },
  {
    rule: "V12",
    when: "digoxin over more than one strength",
    breaks: [{ drugs: [{ id: "digoxin", dosePerDay: 0.25 }] }, adjust("m1", 0.0625)],
    keeps: [{ drugs: [{ id: "digoxin", dosePerDay: 0.25 }] }, adjust("m1", 0.125)],
  },
  {
    rule: "V13",
    when: "an NOAC before warfarin has gone",
    breaks: [{ stopped: [stoppedDrug("warfarin", 3)] }, add("apixaban")],
    keeps: [{ stopped: [stoppedDrug("warfarin", 5)] }, add("apixaban")],
  },
  {
    rule: "V13",
    when: "an NOAC at once after warfarin unless the INR is low",
    breaks: [{ drugs: ["warfarin"] }, substitute("m1", "apixaban")],
    keeps: [
      { drugs: ["warfarin"], values: { CREAT: { value: 0.9, measuredDay: -5 }, INR: { value: 1.7, measuredDay: -1 } } },
      substitute("m1", "apixaban"),
    ],
  },
  {
    rule: "V13",
    when: "a second declared switch",
    breaks: [
      { drugs: ["warfarin"], declaredSwitch: { fromDrugIndex: 1, toDrugIndex: 2, declaredDay: 0, earliestDay: 5 } },
      { type: "STOP_DRUG", medRef: "m1", switchToDrugIndex: drugIndex("apixaban"), orders: [] },
    ],
    keeps: [
      { drugs: ["warfarin"] },
      { type: "STOP_DRUG", medRef: "m1", switchToDrugIndex: drugIndex("apixaban"), orders: [] },
    ],
  },
  {
    rule: "V14",
    when: "acting on an unreconciled high-alert drug",
    breaks: [{ drugs: [{ id: "warfarin", status: "unreconciled" }] }, adjust("m1", 4)],
    keeps: [{ drugs: [{ id: "ibuprofen", status: "unreconciled" }] }, stop("m1")],
  },
  {
    rule: "V15",
    when: "a benzodiazepine beside an opioid",
    breaks: [{ drugs: ["oxycodone"] }, add("lorazepam")],
    keeps: [{ drugs: ["oxycodone"], reviews: [review("oxycodone")], orders: [order("NALOXONE")] }, add("lorazepam")],
  },
  {
    rule: "V15",
    when: "a review without naloxone",
    breaks: [{ drugs: ["oxycodone"], reviews: [review("oxycodone")] }, add("pregabalin")],
    keeps: [{ drugs: ["metformin"] }, add("pregabalin")],
  },
  {
    rule: "V16",
    when: "an NSAID in heart failure",
    breaks: [{ active: ["HFREF"] }, add("naproxen")],
    keeps: [{ active: ["HTN"] }, add("naproxen")],
  },
  {
    rule: "V16",
    when: "an NSAID below CrCl 30",
    breaks: [{ crClMlPerMin: 29 }, add("naproxen")],
    keeps: [{ crClMlPerMin: 31 }, add("naproxen")],
  },
  {
    rule: "V16",
    when: "metoclopramide in Parkinson disease",
    breaks: [{ active: ["PARKINSON"] }, add("metoclopramide")],
    keeps: [{}, add("metoclopramide")],
  },
  {
    rule: "V17",
    when: "a titrated drug started above its lowest dose",
    breaks: [{}, add("sertraline", 100)],
    keeps: [{}, add("sertraline", 25)],
  },
  {
    rule: "V17",
    when: "a titrated drug more than doubled",
    breaks: [{ drugs: [{ id: "sertraline", dosePerDay: 25 }] }, adjust("m1", 75)],
    keeps: [{ drugs: [{ id: "sertraline", dosePerDay: 25 }] }, adjust("m1", 50)],
  },
  {
    rule: "V18",
    when: "a second taper",
    breaks: [{ drugs: [{ id: "diazepam", taper: makeTaper() }, "sertraline"] }, taperOf("m2", 25, 14)],
    keeps: [{ drugs: [{ id: "diazepam", taper: makeTaper({ isPaused: true }) }, "sertraline"] }, taperOf("m2", 25, 14)],
  },
  {
    rule: "V18",
    when: "a change when none is left",
    breaks: [{ drugs: ["ibuprofen"], clock: { ...clock, changesLeft: 0 } }, stop("m1")],
    keeps: [
      { drugs: ["ibuprofen"], clock: { ...clock, changesLeft: 0 } },
      { type: "HOLD_DOSE", medRef: "m1" },
    ],
  },
];

function stoppedDrug(id: string, daysAgo: number) {
  return {
    medRef: "m0",
    drugIndex: drugIndex(id),
    drugId: id,
    dosePerDay: 5,
    dosesPerDay: 1,
    indication: null,
    daysOfUse: 300,
    daysAgo,
    withdrawalScore: null,
  };
}

const SOFT: readonly Row[] = [
  {
    rule: "V04",
    when: "a cephalosporin after a penicillin",
    breaks: [{ allergies: [allergy("PENICILLIN")] }, add("cefalexin")],
    keeps: [{ allergies: [allergy("SULFA_TMP")] }, add("cefalexin")],
  },
  {
    rule: "S1",
    when: "a Beers AVOID drug where another treats the condition",
    breaks: [{ active: ["INSOMNIA"] }, add("zolpidem")],
    keeps: [{ active: ["INSOMNIA"] }, add("melatonin")],
  },
  {
    rule: "S2",
    when: "a dose above the advice for the age",
    breaks: [{ active: ["DEPRESSION"], drugs: [{ id: "citalopram", dosePerDay: 20 }] }, adjust("m1", 30)],
    keeps: [{ active: ["DEPRESSION"], drugs: [{ id: "citalopram", dosePerDay: 10 }] }, adjust("m1", 20)],
  },
  {
    rule: "S3",
    when: "an unmanaged major interaction",
    breaks: [{ drugs: ["warfarin"] }, add("ibuprofen")],
    keeps: [{ drugs: ["warfarin"] }, add("acetaminophen")],
  },
  {
    rule: "S4",
    when: "a start without its monitoring",
    breaks: [{}, add("lisinopril")],
    keeps: [{}, add("lisinopril", 5, { orders: ["K", "CREAT", "BP"] })],
  },
  {
    rule: "S5",
    when: "a drug of known QT risk with a long QTc",
    breaks: [{ values: { QTC: { value: 480, measuredDay: 0 } } }, add("citalopram")],
    keeps: [{ values: { QTC: { value: 440, measuredDay: 0 } } }, add("citalopram")],
  },
  {
    rule: "S6",
    when: "an anticholinergic in dementia",
    breaks: [{ active: ["DEMENTIA"] }, add("oxybutynin")],
    keeps: [{ active: ["OAB"] }, add("oxybutynin")],
  },
  {
    rule: "S8",
    when: "a PPI stopped while it protects",
    breaks: [{ active: ["GI_ULCER"], drugs: ["pantoprazole", "ibuprofen"] }, stop("m1")],
    keeps: [{ active: ["GERD"], drugs: ["pantoprazole", "metformin"] }, stop("m1")],
  },
];

describe("hard rules", () => {
  test.each(HARD)("$rule fires on $when", ({ rule, breaks: [overrides, payload] }) => {
    expect(hardOf(overrides, payload)).toContain(rule);
    expect(isLegalPayload(makeContext(overrides), payload)).toBe(false);
  });

  test.each(HARD)("$rule does not fire next to: $when", ({ rule, keeps: [overrides, payload] }) => {
    expect(hardOf(overrides, payload)).not.toContain(rule);
  });

  test("V05 needs the condition of a rule observed", () => {
    const overrides = (crClMlPerMin: number | null): KnownOverrides => ({ drugs: ["clarithromycin"], crClMlPerMin });
    expect(hardOf(overrides(50), add("colchicine"))).toContain("V05");
    expect(hardOf(overrides(70), add("colchicine"))).not.toContain("V05");
    expect(hardOf(overrides(null), add("colchicine"))).not.toContain("V05");
  });

  test("what stays legal without a change left is keeping, information, pausing, holding and finishing", () => {
    const overrides: KnownOverrides = {
      drugs: [{ id: "diazepam", taper: makeTaper(), startDay: -5 }, "ibuprofen"],
      clock: { ...clock, changesLeft: 0 },
    };
    const context = makeContext(overrides);
    const legal: ActionPayload[] = [
      { type: "KEEP_REGIMEN" },
      { type: "FINISH" },
      { type: "PAUSE_TAPER", medRef: "m1" },
      { type: "REVERT_TAPER", medRef: "m1" },
      { type: "HOLD_DOSE", medRef: "m2" },
      { type: "ORDER_MONITORING", medRef: null, orders: ["K"] },
      { type: "REQUEST_REVIEW", reviewTo: "pharmacist", target: null },
    ];
    for (const payload of legal) expect(isLegalPayload(context, payload)).toBe(true);
    const illegal: ActionPayload[] = [
      stop("m2"),
      add("metformin"),
      adjust("m2", 400),
      { type: "ADD_PROTECTION", protection: "PPI" },
      { type: "SEPARATE_TIMING", medRef: "m2" },
    ];
    for (const payload of illegal) expect(hardOf(overrides, payload)).toContain("V18");
  });
});

describe("soft rules", () => {
  test.each(SOFT)("$rule fires on $when", ({ rule, breaks: [overrides, payload] }) => {
    expect(softOf(overrides, payload)).toContain(rule);
  });

  test.each(SOFT)("$rule does not fire next to: $when", ({ rule, keeps: [overrides, payload] }) => {
    expect(softOf(overrides, payload)).not.toContain(rule);
  });

  test("S7 fires on a stop for an active indication without a word of reason, and is not judged on an offer", () => {
    const overrides: KnownOverrides = { drugs: ["ibuprofen"], active: ["OA_PAIN"] };
    expect(softOf(overrides, stop("m1"), " ")).toContain("S7");
    expect(softOf(overrides, stop("m1"), "bleeding risk")).not.toContain("S7");
    expect(softOf(overrides, stop("m1"), null)).not.toContain("S7");
  });
});

test("an interaction that the action's own orders manage is no soft issue", () => {
  expect(softOf({ drugs: ["amiodarone"] }, add("warfarin"))).toContain("S3");
  expect(softOf({ drugs: ["amiodarone"] }, add("warfarin", 1, { orders: ["INR", "HB"] }))).not.toContain("S3");
});

describe("a whole verdict", () => {
  const context = makeContext({ drugs: ["warfarin", "ibuprofen"], active: ["AF_STROKE", "OA_PAIN"] });
  const candidate = offer(context, stop("m2"));

  test("V01: what was not understood is illegal", () => {
    expect(verifyAction(context, parseRawAction("nonsense"), null).hard).toMatchObject([{ id: "V01" }]);
  });

  test("V02: what is not its candidate is illegal and names the fields", () => {
    const action = take(candidate, { target: "m1" });
    const verdict = verifyAction(context, typedVerdict(action), alignAction(action, [candidate]));
    expect(verdict.hard).toMatchObject([{ id: "V02" }]);
    expect(verdict.hard[0]!.text).toContain("target");
  });

  test("the facts of a legal stop are the target and the alerts about it", () => {
    const action = take(candidate, { rationale: "bleeding" });
    const verdict = verifyAction(context, typedVerdict(action), alignAction(action, [candidate]));
    expect(verdict.legal).toBe(true);
    expect(verdict.facts[0]).toBe("m2");
    expect(verdict.facts.some((fact) => fact.startsWith("al:DDI001"))).toBe(true);
  });

  test("rules work on known facts: an unknown kidney does not forbid what only known kidneys forbid", () => {
    const unknown = makeContext({ crClMlPerMin: null, egfrMlPerMin: null, kidneyAgeDays: null });
    expect(verifyPayload(unknown, add("naproxen")).hard.map(({ id }) => id)).not.toContain("V16");
  });
});
