import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { severityOfRatio } from "../src/interactions/derived-hits.ts";
import type { Facts } from "../src/interactions/facts.ts";
import { findPairHits } from "../src/interactions/pair-hits.ts";
import { pairEntries, pairTableOf } from "../src/interactions/pair-table.ts";
import { at, factsOf, kb } from "./engine-fixtures.ts";

function hits(drugs: Readonly<Record<string, number>>, facts: Facts = factsOf(), unknownCountsAs = true) {
  const regimen = Object.entries(drugs).map(([id, dosePerDay]) => ({ drugIndex: at(id), dosePerDay }));
  return findPairHits(kb, regimen, facts, { unknownCountsAs });
}
const summary = (...args: Parameters<typeof hits>) =>
  hits(...args).map((hit) => `${hit.ruleId} ${hit.domain} ${hit.severity}`);

describe("resolution of pair rules", () => {
  test("a drug-drug row beats a drug-group row beats a group-group row", () => {
    // warfarin x fluconazole: DDI021 (drug-drug) instead of DDI019 (warfarin x INH2C9_MOD).
    expect(summary({ warfarin: 5, fluconazole: 100 })).toEqual(["DDI021 BLEED major"]);
    // spironolactone x eplerenone: DDI070 (drug-drug) instead of DDI431 (MRA x MRA).
    expect(summary({ spironolactone: 25, eplerenone: 25 })).toEqual(["DDI070 HYPERK contraindicated"]);
  });

  test("of equally specific rows the more severe one is kept", () => {
    // ticagrelor (P2Y12, ANTIPLATELET) x aspirin: the class row stays in GI_BLEED, the high dose row in its own domain.
    const domains = hits({ clopidogrel: 75, aspirin_low_dose: 81 }).map((hit) => hit.domain);
    expect(new Set(domains).size).toBe(domains.length);
  });

  test("one hit is kept per pair and harm domain", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(kb.drugs.length - 1), { minLength: 2, maxLength: 8 }), (indexes) => {
        const regimen = indexes.map((drugIndex) => ({ drugIndex, dosePerDay: kb.drugs[drugIndex]!.doseMax }));
        const keys = findPairHits(kb, regimen, factsOf(), { unknownCountsAs: true }).map(
          (hit) => `${Math.min(hit.aIndex, hit.bIndex)} ${Math.max(hit.aIndex, hit.bIndex)} ${hit.domain}`,
        );
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  test("the hits do not depend on the order of the list", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(kb.drugs.length - 1), { minLength: 2, maxLength: 8 }), (indexes) => {
        const of = (order: readonly number[]) =>
          findPairHits(
            kb,
            order.map((drugIndex) => ({ drugIndex, dosePerDay: kb.drugs[drugIndex]!.doseMin })),
            factsOf(),
            { unknownCountsAs: true },
          )
            .map((hit) => `${hit.ruleId} ${hit.aIndex} ${hit.bIndex}`)
            .sort();
        expect(of([...indexes].reverse())).toEqual(of(indexes));
      }),
    );
  });

  test("a drug does not interact with itself", () => {
    const table = pairTableOf(kb);
    for (const drug of kb.drugs) expect(pairEntries(table, drug.index, drug.index)).toEqual([]);
  });
});

describe("conditions of pair rules", () => {
  const pair = { lisinopril: 10, spironolactone: 25 };

  test("a rule whose condition is false gives way to its milder form", () => {
    expect(summary(pair, factsOf([], { crClMlPerMin: 50 }))).toEqual(["DDI064 HYPERK major"]);
    expect(summary(pair, factsOf([], { crClMlPerMin: 80, potassiumMmolPerL: 4 }))).toEqual(["DDI392 HYPERK moderate"]);
  });

  test("an unknown value counts as true for warnings and as false where it has to be observed", () => {
    const facts = factsOf([], { crClMlPerMin: null, potassiumMmolPerL: null });
    expect(summary(pair, facts, true)).toEqual(["DDI064 HYPERK major"]);
    expect(summary(pair, facts, false)).toEqual([]);
  });

  test("dose terms look at the side they name", () => {
    expect(summary({ simvastatin: 10, diltiazem_er: 180 })).toEqual([]);
    expect(summary({ simvastatin: 20, diltiazem_er: 180 })).toEqual(["DDI153 MYOPATHY major"]);
    expect(summary({ acetaminophen: 1950, warfarin: 5 })).toEqual([]);
    expect(summary({ acetaminophen: 2600, warfarin: 5 })).toEqual(["DDI032 BLEED moderate"]);
  });

  test("the object is the side whose exposure changes", () => {
    expect(hits({ clopidogrel: 75, repaglinide: 3 }).map((hit) => hit.objectIndex)).toEqual([at("repaglinide")]);
  });
});

describe("hits derived from exposure", () => {
  test("severities follow the ratio and the therapeutic index", () => {
    const severity = (ratio: number, isNarrowTi: boolean) => {
      const found = severityOfRatio(ratio, isNarrowTi);
      return found === null ? "none" : `${found.severity}${found.isLoss ? " loss" : ""}`;
    };
    expect([1.2, 1.25, 2, 5].map((ratio) => severity(ratio, false))).toEqual(["none", "none", "moderate", "major"]);
    expect([1.2, 1.25, 2, 5].map((ratio) => severity(ratio, true))).toEqual([
      "none",
      "moderate",
      "major",
      "contraindicated",
    ]);
    expect([0.51, 0.5, 0.2].map((ratio) => severity(ratio, false))).toEqual(["none", "moderate loss", "major loss"]);
    expect([0.51, 0.5, 0.2].map((ratio) => severity(ratio, true))).toEqual(["none", "major loss", "major loss"]);
  });

  test("never stand beside a table row of the same pair, even one whose condition is false", () => {
    for (const list of pairTableOf(kb).entries) {
      if (list.some((entry) => entry.isDerived)) expect(list.every((entry) => entry.isDerived)).toBe(true);
    }
    expect(summary({ simvastatin: 10, diltiazem_er: 180 })).toEqual([]);
  });

  test("take the domain in which the object does most harm, NTI_TOX for a narrow index", () => {
    const derived = pairTableOf(kb)
      .entries.flat()
      .filter((entry) => entry.isDerived);
    expect(derived.length).toBeGreaterThan(50);
    for (const entry of derived) {
      expect(entry.rule).toBeNull();
      if (entry.domain !== "EFFICACY_LOSS" && kb.drugs[entry.objectIndex!]!.isNarrowTi)
        expect(entry.domain).toBe("NTI_TOX");
    }
    // felodipine (CYP3A4 .89): 1 point of falls at .12 weighs more than 1 of hypotension at .08.
    expect(summary({ felodipine: 5, fluconazole: 200 })).toEqual(["DERIVED FALL_SEDATION moderate"]);
  });
});
