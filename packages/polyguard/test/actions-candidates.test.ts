import { Rng } from "@praxis/env";
import { describe, expect, test } from "vitest";
import { generateCandidates } from "../src/actions/candidates.ts";
import { criticalFields } from "../src/actions/critical-fields.ts";
import { isLegalPayload } from "../src/actions/legality.ts";
import { buildLegalityContext } from "../src/actions/legality-context.ts";
import { candidateSchema } from "../src/actions/schema.ts";
import type { ActionPayload, OfferedCandidate } from "../src/actions/types.ts";
import { TIERS } from "../src/scenario/tiers.ts";
import { drugIndex, type KnownOverrides, kb, makeContext, makeKnown, makeTaper } from "./known-fixtures.ts";

function offered(
  overrides: KnownOverrides = {},
  seed = 1,
  utilityOf: (payload: ActionPayload) => number = () => 0,
): readonly OfferedCandidate[] {
  return generateCandidates({ kb, known: makeKnown(overrides), nonce: "n1", rng: Rng.fromSeed(seed), utilityOf });
}
const typesOf = (candidates: readonly OfferedCandidate[]): Set<string> =>
  new Set(candidates.map(({ payload }) => payload.type));
const has = (candidates: readonly OfferedCandidate[], part: Partial<Record<string, unknown>>): boolean =>
  candidates.some(({ payload }) =>
    Object.entries(part).every(([key, value]) => (payload as Record<string, unknown>)[key] === value),
  );

const bleeding: KnownOverrides = {
  drugs: ["warfarin", "ibuprofen", "metformin"],
  active: ["AF_STROKE", "OA_PAIN", "T2DM"],
};

describe("what is offered", () => {
  test("KEEP, FINISH and one review are always there, even for an empty list", () => {
    for (const overrides of [{}, bleeding]) {
      const types = typesOf(offered(overrides));
      for (const type of ["KEEP_REGIMEN", "FINISH", "REQUEST_REVIEW"]) expect(types).toContain(type);
    }
  });

  test("a major pair is offered its removal, its replacement and its protection", () => {
    const candidates = offered(bleeding);
    expect(has(candidates, { type: "STOP_DRUG", medRef: "m2" })).toBe(true);
    const swap = candidates.find(({ payload }) => payload.type === "SUBSTITUTE_DRUG" && payload.medRef === "m2");
    expect(swap?.wire.replacement).toMatch(/acetaminophen|gel/);
    expect(has(candidates, { type: "ADD_PROTECTION", protection: "PPI" })).toBe(true);
  });

  test("a drug that needs a taper is offered the taper, not the abrupt stop, and a cross-over", () => {
    const candidates = offered({ drugs: ["oxycodone", "diazepam"], active: ["PAIN", "ANXIETY"] }).filter(
      ({ source }) => source !== "trap",
    );
    expect(has(candidates, { type: "START_TAPER", medRef: "m2" })).toBe(true);
    expect(has(candidates, { type: "STOP_DRUG", medRef: "m2" })).toBe(false);
    expect(has(candidates, { type: "ADD_DRUG", crossOverFromMedRef: "m2" })).toBe(true);
  });

  test("a drug whose successor has to wait for a washout is offered the declared switch", () => {
    const candidates = offered({
      drugs: ["warfarin", "clarithromycin"],
      active: ["AF_STROKE", "INFECTION"],
      difficulty: "hard",
    });
    const swap = candidates.find(({ payload }) => payload.type === "STOP_DRUG" && payload.switchToDrugIndex !== null);
    expect(swap?.wire).toMatchObject({ target: "m1" });
    expect(swap?.wire.orders?.[0]).toMatch(/^SWITCH:/);
  });

  test("a running plan is offered pause and revert, a resting one its continuation", () => {
    const running = offered({ drugs: [{ id: "diazepam", dosePerDay: 5, taper: makeTaper() }] });
    for (const type of ["PAUSE_TAPER", "REVERT_TAPER", "CONTINUE_TAPER"]) expect(typesOf(running)).toContain(type);
    const resting = offered({ drugs: [{ id: "diazepam", dosePerDay: 5, taper: makeTaper({ isPaused: true }) }] });
    expect(has(resting, { type: "CONTINUE_TAPER", taper: null })).toBe(true);
    expect(typesOf(resting)).not.toContain("PAUSE_TAPER");
  });

  test("a dose above its renal cap is offered the cap, a high level a hold", () => {
    const renal = offered({
      drugs: [{ id: "gabapentin", dosePerDay: 1800 }],
      active: ["NEUROPATHIC_PAIN"],
      crClMlPerMin: 25,
      egfrMlPerMin: 25,
    });
    expect(renal.some(({ payload }) => payload.type === "ADJUST_DOSE" && payload.dosePerDay <= 700)).toBe(true);
    const toxic = offered({
      drugs: [{ id: "digoxin", lastLevel: { code: "DIG_LEVEL", value: 2.4, ageDays: 1 } }],
      active: ["AF_RATE"],
    });
    expect(has(toxic, { type: "HOLD_DOSE", medRef: "m1" })).toBe(true);
  });

  test("an untreated condition is offered a first-line drug at its starting dose, unless life is too short", () => {
    const untreated: KnownOverrides = { active: ["DEPRESSION"] };
    const start = offered(untreated).find(({ payload }) => payload.type === "ADD_DRUG");
    expect(start).toBeDefined();
    expect(isLegalPayload(makeContext(untreated), start!.payload)).toBe(true);
    expect(typesOf(offered({ ...untreated, lifeExpectancy: "<1y" }))).not.toContain("ADD_DRUG");
  });

  test("a titrated drug on its way up is offered at most its double", () => {
    const clock = {
      day: 14,
      step: 1,
      visit: 1,
      stepsLeft: 13,
      visitsLeft: 7,
      changesLeft: 5,
      evidenceLeft: 4,
      reviewsLeft: 2,
    };
    const raise = offered({
      clock,
      drugs: [{ id: "sertraline", dosePerDay: 25, startDay: 0 }],
      active: ["DEPRESSION"],
    }).find(({ payload }) => payload.type === "ADJUST_DOSE" && payload.dosePerDay > 25);
    expect(raise?.payload).toMatchObject({ medRef: "m1", dosePerDay: 50 });
  });

  test("a missing critical value is offered its order, a hidden indication its reconciling", () => {
    const gaps = offered({
      drugs: ["gabapentin", "ibuprofen", "warfarin"],
      active: ["AF_STROKE"],
      values: {},
      crClMlPerMin: null,
      egfrMlPerMin: null,
      kidneyAgeDays: null,
      missingFields: ["indication:m2"],
    });
    expect(gaps.some(({ payload }) => payload.type === "ORDER_MONITORING" && payload.orders.includes("CREAT"))).toBe(
      true,
    );
    expect(has(gaps, { type: "RECONCILE_ITEM", target: "m2" })).toBe(true);
  });

  test("an open conflict decides whom the review goes to", () => {
    const conflicts = [{ id: "cf1", from: "cardiologist", says: "keep it", medRef: "m1", isOpen: true }];
    expect(
      has(offered({ ...bleeding, conflicts }), { type: "REQUEST_REVIEW", reviewTo: "cardiologist", target: "m1" }),
    ).toBe(true);
  });
});

describe("how it is offered", () => {
  const crowded: KnownOverrides = {
    difficulty: "hard",
    drugs: [
      "warfarin",
      "ibuprofen",
      "sertraline",
      "diazepam",
      "oxycodone",
      "lisinopril",
      "spironolactone",
      "simvastatin",
      "clarithromycin",
      "digoxin",
    ],
    active: [
      "AF_STROKE",
      "OA_PAIN",
      "DEPRESSION",
      "ANXIETY",
      "PAIN",
      "HTN",
      "HFREF",
      "DYSLIPID",
      "AF_RATE",
      "GERD",
      "COPD",
    ],
  };

  test.each(["easy", "medium", "hard"] as const)(
    "%s keeps to its cap with KEEP, FINISH, the review and its traps",
    (difficulty) => {
      const candidates = offered({ ...crowded, difficulty });
      expect(candidates.length).toBe(TIERS[difficulty].maxCandidates);
      for (const type of ["KEEP_REGIMEN", "FINISH", "REQUEST_REVIEW"]) expect(typesOf(candidates)).toContain(type);
      expect(candidates.filter(({ source }) => source === "trap").length).toBe(TIERS[difficulty].traps);
    },
  );

  test("the best legal candidate survives the cap", () => {
    const all = offered(crowded).filter(
      ({ source }) => source === "hit" || source === "omission" || source === "missing",
    );
    const context = makeContext(crowded);
    for (const { payload, canonical } of all.slice(0, 8)) {
      if (!isLegalPayload(context, payload)) continue;
      const kept = offered({ ...crowded, difficulty: "easy" }, 1, (other) =>
        JSON.stringify(other) === JSON.stringify(payload) ? 1 : 0,
      );
      expect(kept.map((each) => each.canonical)).toContain(canonical);
    }
  });

  test("no action is offered twice, and each fits its wire schema", () => {
    const candidates = offered(crowded);
    expect(new Set(candidates.map(({ canonical }) => canonical)).size).toBe(candidates.length);
    expect(new Set(candidates.map(({ id }) => id)).size).toBe(candidates.length);
    for (const { wire } of candidates) expect(candidateSchema.safeParse(wire).success).toBe(true);
  });

  test("equal requests give equal lists; another stream gives another order of the same ids but for traps", () => {
    expect(offered(crowded)).toEqual(offered(crowded));
    const ids = (seed: number): string[] =>
      offered(crowded, seed)
        .filter(({ source }) => source !== "trap")
        .map(({ id }) => id);
    expect(ids(2)).not.toEqual(ids(1));
    const shared = new Set(ids(1));
    expect(ids(2).filter((id) => shared.has(id)).length).toBeGreaterThan(ids(2).length - 4);
  });

  test("ids are c_ and 8 hex digits and change with the nonce", () => {
    const candidates = offered(bleeding);
    for (const { id } of candidates) expect(id).toMatch(/^c_[0-9a-f]{8}$/);
    const next = generateCandidates({
      kb,
      known: makeKnown(bleeding),
      nonce: "n2",
      rng: Rng.fromSeed(1),
      utilityOf: () => 0,
    });
    expect(next.map(({ id }) => id).filter((id) => candidates.some((each) => each.id === id))).toEqual([]);
  });

  test("no text tells what is legal, good or a trap", () => {
    for (const { wire } of offered(crowded))
      expect(wire.text).not.toMatch(/illegal|legal|trap|unsafe|best|wrong|danger/i);
  });

  test("what an offer answers is named; a trap answers nothing", () => {
    const candidates = offered(bleeding);
    for (const { source, addresses } of candidates) {
      if (source === "hit") expect(addresses.length).toBeGreaterThan(0);
      if (source === "trap") expect(addresses).toEqual([]);
    }
  });
});

describe("critical fields", () => {
  const missing = (overrides: KnownOverrides, payloads: readonly ActionPayload[] = []): string[] =>
    criticalFields(buildLegalityContext(kb, makeKnown(overrides)), payloads)
      .filter(({ isMissing }) => isMissing)
      .map(({ name }) => name);

  test("creatinine and weight count behind a renal clause, and 90 days are not too old", () => {
    const at = (measuredDay: number) => ({ CREAT: { value: 1, measuredDay } });
    expect(missing({ drugs: ["gabapentin"], values: at(-90), weightKg: null })).toEqual(["weight"]);
    expect(missing({ drugs: ["gabapentin"], values: at(-91) })).toEqual(["CREAT"]);
    expect(missing({ drugs: ["amlodipine"], values: {}, weightKg: null })).toEqual([]);
  });

  test("potassium counts for a visible hit of its domain only", () => {
    const overrides: KnownOverrides = {
      drugs: ["lisinopril", "spironolactone"],
      values: { CREAT: { value: 1, measuredDay: 0 } },
    };
    expect(missing(overrides)).toContain("K");
    expect(missing({ ...overrides, showsAlerts: false })).not.toContain("K");
  });

  test("a level counts when the dose of a narrow-index drug is on offer, inside its own window", () => {
    const inr = (measuredDay: number) => ({ values: { INR: { value: 2.4, measuredDay } } });
    const change: ActionPayload = { type: "ADJUST_DOSE", medRef: "m1", dosePerDay: 4, dosesPerDay: 1, orders: [] };
    expect(missing({ drugs: ["warfarin"], ...inr(-8) }, [change])).toContain("INR");
    expect(missing({ drugs: ["warfarin"], ...inr(-7) }, [change])).not.toContain("INR");
    expect(missing({ drugs: ["warfarin"], ...inr(-8) }, [])).not.toContain("INR");
  });

  test("an unverified allergy counts when an offered drug touches it", () => {
    const allergies = [
      { id: "a1", substance: "PENICILLIN", reaction: null, severity: "moderate" as const, isVerified: false },
    ];
    const start: ActionPayload = {
      type: "ADD_DRUG",
      drugIndex: drugIndex("amoxicillin"),
      dosePerDay: 1500,
      dosesPerDay: 3,
      crossOverFromMedRef: null,
      orders: [],
    };
    expect(missing({ allergies }, [start])).toContain("allergy:a1");
    expect(missing({ allergies })).toEqual([]);
  });
});
