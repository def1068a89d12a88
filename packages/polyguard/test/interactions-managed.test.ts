import { describe, expect, test } from "vitest";
import type { Facts } from "../src/interactions/facts.ts";
import { isManaged, type ManagedSide, managementOf } from "../src/interactions/managed.ts";
import { findPairHits, type PairHit } from "../src/interactions/pair-hits.ts";
import { at, factsOf, kb } from "./engine-fixtures.ts";

function hitOf(
  a: string,
  b: string,
  domain: string,
  facts: Facts = factsOf(),
  doses: readonly [number, number] = [1e6, 1e6],
): PairHit {
  const regimen = [a, b].map((id, i) => ({ drugIndex: at(id), dosePerDay: doses[i]! }));
  const hit = findPairHits(kb, regimen, facts, { unknownCountsAs: true }).find(
    (candidate) => candidate.domain === domain,
  );
  if (hit === undefined) throw new Error(`no ${domain} hit of ${a} and ${b}`);
  return hit;
}

function sideOf(drugId: string, changes: Partial<ManagedSide> = {}): ManagedSide {
  return {
    drugIndex: at(drugId),
    dosePerDay: kb.drugs[at(drugId)]!.doseMax,
    startDay: 0,
    doseHistory: [],
    lastInRangeLevelDay: null,
    isTapering: false,
    isReviewed: false,
    ...changes,
  };
}

function judge(
  hit: PairHit,
  a: ManagedSide,
  b: ManagedSide,
  orders: readonly string[] = [],
  others: readonly string[] = [],
): boolean {
  const state = managementOf(kb, [a.drugIndex, b.drugIndex, ...others.map(at)], orders);
  const result = isManaged(kb, hit.entry, a, b, state);
  expect(isManaged(kb, hit.entry, b, a, state)).toBe(result);
  return result;
}

describe("MONITOR", () => {
  const hit = hitOf("warfarin", "sertraline", "BLEED");

  test("needs every monitoring item of both drugs when neither is the object", () => {
    expect(judge(hit, sideOf("warfarin"), sideOf("sertraline"), ["INR", "HB"])).toBe(false);
    expect(judge(hit, sideOf("warfarin"), sideOf("sertraline"), ["INR", "HB", "NA"])).toBe(true);
  });

  test("needs the items of the object alone when there is one", () => {
    const object = hitOf("warfarin", "simvastatin", "BLEED");
    expect(judge(object, sideOf("warfarin"), sideOf("simvastatin"), ["CK", "LFT"])).toBe(false);
    expect(judge(object, sideOf("warfarin"), sideOf("simvastatin"), ["INR", "HB"])).toBe(true);
  });

  test("alone does not manage a major hit where AVOID is listed", () => {
    const major = hitOf("phenytoin", "trimethoprim", "NTI_TOX");
    expect(major.managementCodes).toEqual(["AVOID", "MONITOR"]);
    expect(judge(major, sideOf("phenytoin"), sideOf("trimethoprim"), ["PHT_LEVEL", "ALB"])).toBe(false);
  });
});

describe("PROTECT", () => {
  test("is a PPI, also for a major GI_BLEED hit with AVOID", () => {
    const hit = hitOf("aspirin_low_dose", "ibuprofen", "GI_BLEED");
    expect(judge(hit, sideOf("aspirin_low_dose"), sideOf("ibuprofen"))).toBe(false);
    expect(judge(hit, sideOf("aspirin_low_dose"), sideOf("ibuprofen"), [], ["pantoprazole"])).toBe(true);
  });

  test("does not manage a major hit with AVOID outside GI_BLEED", () => {
    const hit = hitOf("warfarin", "ibuprofen", "BLEED");
    expect(hit.managementCodes).toContain("PROTECT");
    expect(judge(hit, sideOf("warfarin"), sideOf("ibuprofen"), [], ["pantoprazole"])).toBe(false);
  });
});

describe("ADJUST", () => {
  test("asks for a dose that the higher exposure keeps inside dose_max", () => {
    const hit = hitOf("atorvastatin", "clarithromycin", "MYOPATHY");
    expect(hit.aucrApprox).toBe(3);
    const strict = hitOf("rosuvastatin", "ciclosporin", "MYOPATHY");
    expect(judge(strict, sideOf("rosuvastatin", { dosePerDay: 5 }), sideOf("ciclosporin"))).toBe(false);
    const buspirone = hitOf("buspirone", "diltiazem_er", "FALL_SEDATION");
    expect(judge(buspirone, sideOf("buspirone", { dosePerDay: 6 }), sideOf("diltiazem_er"))).toBe(true);
    expect(judge(buspirone, sideOf("buspirone", { dosePerDay: 6.1 }), sideOf("diltiazem_er"))).toBe(false);
  });

  test("of a narrow index drug asks for a cut of a quarter since the pair came together", () => {
    const hit = hitOf("warfarin", "amiodarone", "BLEED");
    const history = [{ day: -300, dosePerDay: 5 }];
    const amiodarone = sideOf("amiodarone", { startDay: 10 });
    const warfarin = (dosePerDay: number) =>
      sideOf("warfarin", { dosePerDay, startDay: -300, doseHistory: [...history, { day: 20, dosePerDay }] });
    expect(judge(hit, warfarin(4), amiodarone)).toBe(false);
    expect(judge(hit, warfarin(3.75), amiodarone)).toBe(true);
    const cutBefore = sideOf("warfarin", {
      dosePerDay: 3,
      startDay: -300,
      doseHistory: [...history, { day: 0, dosePerDay: 3 }],
    });
    expect(judge(hit, cutBefore, amiodarone)).toBe(false);
  });

  test("of a narrow index drug is also met by a level in range taken after the pair came together", () => {
    const hit = hitOf("warfarin", "amiodarone", "BLEED");
    const amiodarone = sideOf("amiodarone", { startDay: 10 });
    expect(judge(hit, sideOf("warfarin", { startDay: -300, lastInRangeLevelDay: 10 }), amiodarone)).toBe(false);
    expect(judge(hit, sideOf("warfarin", { startDay: -300, lastInRangeLevelDay: 11 }), amiodarone)).toBe(true);
  });
});

describe("the other codes", () => {
  test("a contraindicated hit can't be managed", () => {
    const hit = hitOf("simvastatin", "clarithromycin", "MYOPATHY");
    const all = ["CK", "LFT", "TIMING", "NALOXONE"];
    const sides = { isTapering: true, isReviewed: true, dosePerDay: 0.01, lastInRangeLevelDay: 99 };
    expect(judge(hit, sideOf("simvastatin", sides), sideOf("clarithromycin", sides), all, ["pantoprazole"])).toBe(
      false,
    );
  });

  test("SEPARATE is the timing order", () => {
    const hit = hitOf("levothyroxine", "calcium_carbonate", "EFFICACY_LOSS");
    expect(judge(hit, sideOf("levothyroxine"), sideOf("calcium_carbonate"))).toBe(false);
    expect(judge(hit, sideOf("levothyroxine"), sideOf("calcium_carbonate"), ["TIMING"])).toBe(true);
  });

  test("TAPER is a plan that runs on one of the two", () => {
    const hit = hitOf("zolpidem", "lorazepam", "FALL_SEDATION");
    expect(judge(hit, sideOf("zolpidem"), sideOf("lorazepam"))).toBe(false);
    expect(judge(hit, sideOf("zolpidem"), sideOf("lorazepam", { isTapering: true }))).toBe(true);
  });

  test("TAPER_ORDER is a plan on the beta-blocker, not on clonidine", () => {
    const hit = hitOf("metoprolol", "clonidine", hitDomain("metoprolol", "clonidine"));
    expect(judge(hit, sideOf("metoprolol"), sideOf("clonidine", { isTapering: true }))).toBe(false);
    expect(judge(hit, sideOf("metoprolol", { isTapering: true }), sideOf("clonidine"))).toBe(true);
  });

  test("REVIEW_INDICATION is a finished review of one of the two", () => {
    const hit = hitOf("warfarin", "aspirin_low_dose", "BLEED");
    expect(judge(hit, sideOf("warfarin"), sideOf("aspirin_low_dose"))).toBe(false);
    expect(judge(hit, sideOf("warfarin"), sideOf("aspirin_low_dose", { isReviewed: true }))).toBe(true);
  });

  test("STOP_ONE and SUBSTITUTE are met only by the pair being gone", () => {
    const hit = hitOf("sertraline", "citalopram", "SEROTONIN");
    const sides = { isTapering: true, isReviewed: true };
    expect(judge(hit, sideOf("sertraline", sides), sideOf("citalopram", sides), ["NA", "QTC"])).toBe(false);
  });
});

function hitDomain(a: string, b: string): string {
  const regimen = [a, b].map((id) => ({ drugIndex: at(id), dosePerDay: 1 }));
  return findPairHits(kb, regimen, factsOf(), { unknownCountsAs: true }).find((hit) =>
    hit.managementCodes.includes("TAPER_ORDER"),
  )!.domain;
}
