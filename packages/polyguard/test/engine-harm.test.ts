import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Evaluation,
  type EvaluationContext,
  type EvaluationItem,
  makeItem,
} from "../src/engine/evaluation-types.ts";
import { HarmEngine, MAX_ITEMS, risk90Days } from "../src/engine/harm.ts";
import { findPairHits } from "../src/interactions/pair-hits.ts";
import { CONDITION_BURDENS } from "../src/kb/conditions.ts";
import { domainIndex, type HarmDomain } from "../src/kb/domains.ts";
import { targetDose } from "../src/kb/dose-grid.ts";
import { loadKnowledgeBase } from "../src/kb/load.ts";
import { readBundledTables } from "../src/kb/node.ts";
import { at, contextOf, factsOf, itemOf, kb } from "./engine-fixtures.ts";

const engine = new HarmEngine(kb);
/** Risk points and effects as they stand, pair hits only: the setting of the golden regimens. */
const plain = new HarmEngine(kb, { useRegimenRules: false, useDoses: false });

/** A copy that later calls leave alone, with the arrays by position cut to the `count` items judged. */
function copyOf(evaluation: Evaluation, count = 1): Evaluation {
  const copy = structuredClone(evaluation);
  return { ...copy, aucr: copy.aucr.slice(0, count), exposureShift: copy.exposureShift.slice(0, count) };
}

function judge(ids: readonly string[], context: EvaluationContext, used = engine): Evaluation {
  used.setContext(context);
  return copyOf(used.evaluate(ids.map((id) => itemOf(id))));
}

const lam = (evaluation: Evaluation, domain: HarmDomain): number => evaluation.lamByDomain[domainIndex(domain)]!;

/** Change of H and name of the best single stop or same-indication swap. */
function bestSingleAction(ids: readonly string[]): { readonly text: string; readonly change: number } {
  const before = plain.evaluate(ids.map((id) => itemOf(id))).harm;
  let best = { text: "none", change: 0 };
  const consider = (text: string, regimen: readonly string[]): void => {
    const change = plain.evaluate(regimen.map((id) => itemOf(id))).harm - before;
    if (change < best.change) best = { text, change };
  };
  for (const id of ids) {
    const rest = ids.filter((other) => other !== id);
    consider(`stop ${id}`, rest);
    for (const drug of kb.drugs) {
      const treatsTheSame = drug.indications.some((code) => kb.drugs[at(id)]!.indications.includes(code));
      if (treatsTheSame && !ids.includes(drug.drugId)) consider(`${id} -> ${drug.drugId}`, [...rest, drug.drugId]);
    }
  }
  return best;
}

describe("golden regimens (pair table only, phi and dose shares 1, no patient factor but kidney function)", () => {
  test("warfarin, ibuprofen, sertraline, lisinopril, simvastatin, hydrochlorothiazide", () => {
    const ids = ["warfarin", "ibuprofen", "sertraline", "lisinopril", "simvastatin", "hydrochlorothiazide"];
    // Sex enters as a QT factor only, which the printed figures leave out: a man here.
    const context = contextOf(["AF_STROKE", "OA_PAIN", "DEPRESSION", "HTN", "DYSLIPID"], { crClMlPerMin: 48 });
    const now = judge(ids, context, plain);
    expect([now.lamAde, now.lamDis].map((x) => x.toFixed(4))).toEqual(["0.2388", "0.3431"]);
    const rates = (["BLEED", "AKI", "HYPONA", "FALL_SEDATION"] as const).map((domain) => lam(now, domain).toFixed(4));
    expect(rates).toEqual(["0.2146", "0.1370", "0.0355", "0.2713"]);
    const best = bestSingleAction(ids);
    expect(best.text).toBe("ibuprofen -> acetaminophen");
    expect(best.change.toFixed(3)).toBe("-0.104");
    expect((judge([], context, plain).harm - now.harm).toFixed(3)).toBe("0.024");
  });

  test("amlodipine, metformin, rosuvastatin, losartan: no hits", () => {
    const ids = ["amlodipine", "metformin", "rosuvastatin", "losartan"];
    const context = contextOf(["HTN", "T2DM", "DYSLIPID"], { crClMlPerMin: 70 });
    const now = judge(ids, context, plain);
    expect([now.lamAde, now.lamDis].map((x) => x.toFixed(4))).toEqual(["0.0681", "0.1304"]);
    expect((judge([], context, plain).harm - now.harm).toFixed(3)).toBe("0.052");
    const regimen = ids.map((id) => ({ drugIndex: at(id), dosePerDay: kb.drugs[at(id)]!.doseMax }));
    expect(findPairHits(kb, regimen, factsOf([], { crClMlPerMin: 70 }), { unknownCountsAs: true })).toEqual([]);
  });

  test("lithium, lisinopril, spironolactone, apixaban, bisoprolol, furosemide, naproxen", () => {
    const ids = [
      "lithium_carbonate",
      "lisinopril",
      "spironolactone",
      "apixaban",
      "bisoprolol",
      "furosemide",
      "naproxen",
    ];
    // Potassium 5.1 would add its own HYPERK factor, left out in the printed figures; CrCl 35 alone makes the potassium rules major.
    const context = contextOf(["HFREF", "AF_STROKE", "BIPOLAR", "HTN"], { crClMlPerMin: 35 });
    const now = judge(ids, context, plain);
    expect([now.lamAde, now.lamDis].map((x) => x.toFixed(4))).toEqual(["0.3015", "0.4288"]);
    expect((["HYPERK", "AKI"] as const).map((domain) => lam(now, domain).toFixed(4))).toEqual(["0.1477", "0.3011"]);
    const best = bestSingleAction(ids);
    expect(best.text).toBe("stop naproxen");
    expect(best.change.toFixed(3)).toBe("-0.153");
    expect((judge([], context, plain).harm - now.harm).toFixed(3)).toBe("0.145");
  });
});

describe("sanity of the engine", () => {
  test("every drug that Beers does not advise against lowers H alone in a fit 75-year-old with its indication", () => {
    const raisesHarm: string[] = [];
    for (const drug of kb.drugs) {
      if (drug.beers[0]?.kind === "AVOID") continue;
      for (const code of drug.indications) {
        if (!CONDITION_BURDENS.has(code)) continue;
        engine.setContext(contextOf([code], { ageYears: 75 }));
        const without = engine.evaluate([]).harm;
        const item = makeItem({ drugIndex: drug.index, dosePerDay: targetDose(drug), dosesPerDay: drug.dosesPerDay });
        if (engine.evaluate([item]).harm >= without) raisesHarm.push(`${drug.drugId} for ${code}`);
      }
    }
    expect(raisesHarm).toEqual([]);
  });

  const regimens = fc.uniqueArray(fc.nat(kb.drugs.length - 1), { minLength: 1, maxLength: 12 });
  const contexts = fc
    .record({
      conditions: fc.uniqueArray(
        fc.constantFrom(...CONDITION_BURDENS.keys(), "FALLS", "GI_ULCER", "LONG_QT", "SEIZURE"),
        { maxLength: 8 },
      ),
      crClMlPerMin: fc.double({ min: 8, max: 120, noNaN: true }),
      potassiumMmolPerL: fc.double({ min: 3, max: 6, noNaN: true }),
      ageYears: fc.integer({ min: 65, max: 98 }),
      sex: fc.constantFrom("F" as const, "M" as const),
    })
    .map(({ conditions, ...changes }) => contextOf(conditions, changes));
  const itemsOf = (indexes: readonly number[]): EvaluationItem[] =>
    indexes.map((index) => itemOf(kb.drugs[index]!.drugId));

  test("H does not depend on the order of the list", () => {
    fc.assert(
      fc.property(regimens, contexts, (indexes, context) => {
        engine.setContext(context);
        const forward = engine.evaluate(itemsOf(indexes)).harm;
        expect(engine.evaluate(itemsOf([...indexes].reverse())).harm).toBeCloseTo(forward, 10);
      }),
    );
  });

  test("adding a contraindicated pair never lowers LamADE", () => {
    const pairs = findAllContraindicatedPairs();
    expect(pairs.length).toBeGreaterThan(100);
    // Drugs that protect by themselves (PPI, the two milder anticoagulants) are no test of the pair.
    const protects = (index: number): boolean =>
      kb.drugs[index]!.groups.includes("PPI") || ["apixaban", "edoxaban"].includes(kb.drugs[index]!.drugId);
    plain.setContext(contextOf([]));
    fc.assert(
      fc.property(fc.constantFrom(...pairs), regimens, (pair, others) => {
        fc.pre(!pair.some(protects));
        const rest = others.filter((index) => !pair.includes(index));
        const before = plain.evaluate(itemsOf(rest)).lamAde;
        expect(plain.evaluate(itemsOf([...rest, ...pair])).lamAde).toBeGreaterThanOrEqual(before);
      }),
    );
    engine.setContext(contextOf([]));
    for (const [a, b] of pairs) {
      const together = engine.evaluate(itemsOf([a, b])).lamAde;
      expect(together).toBeGreaterThanOrEqual(engine.evaluate(itemsOf([a])).lamAde);
      expect(together).toBeGreaterThanOrEqual(engine.evaluate(itemsOf([b])).lamAde);
      expect(together).toBeGreaterThanOrEqual(engine.evaluate([]).lamAde);
    }
  });

  test("rates stay between zero and their caps, losses and burden are finite and not negative", () => {
    fc.assert(
      fc.property(regimens, contexts, (indexes, context) => {
        engine.setContext(context);
        const now = engine.evaluate(itemsOf(indexes));
        for (const rate of now.lamByDomain) {
          expect(rate).toBeGreaterThanOrEqual(0);
          expect(rate).toBeLessThanOrEqual(1.5);
        }
        expect(now.lamAde).toBeGreaterThan(0);
        expect(now.lamDis).toBeGreaterThanOrEqual(0);
        expect(now.burden).toBeGreaterThan(0);
        expect(now.burden).toBeLessThanOrEqual(1);
        expect(now.harm).toBe(now.lamAde + now.lamDis);
        expect(now.utility).toBe(-now.harm - 0.05 * now.burden);
      }),
    );
  });

  test("a base changes the cost of an evaluation and not its result", () => {
    const fresh = new HarmEngine(kb);
    fc.assert(
      fc.property(regimens, regimens, fc.nat(11), contexts, (indexes, others, dropped, context) => {
        const base = itemsOf(indexes);
        const added = itemsOf(others.filter((index) => !indexes.includes(index)).slice(0, 2));
        const variant = [...base.filter((_, i) => i !== dropped), ...added];
        engine.setContext(context);
        fresh.setContext(context);
        expect(copyOf(engine.setBase(base), base.length)).toEqual(copyOf(fresh.evaluate(base), base.length));
        const [shared, alone] = [copyOf(engine.evaluate(variant)), copyOf(fresh.evaluate(variant))];
        expect(shared.lamAde).toBeCloseTo(alone.lamAde, 12);
        expect(shared.lamDis).toBeCloseTo(alone.lamDis, 12);
        expect(shared.burden).toBe(alone.burden);
        expect(copyOf(engine.evaluate(base)).harm).toBeCloseTo(fresh.evaluate(base).harm, 12);
      }),
    );
  });

  test("evaluating the same regimen again gives the same bits", () => {
    fc.assert(
      fc.property(regimens, regimens, contexts, (indexes, others, context) => {
        engine.setContext(context);
        const first = copyOf(engine.evaluate(itemsOf(indexes)), indexes.length);
        engine.evaluate(itemsOf(others));
        expect(copyOf(engine.evaluate(itemsOf(indexes)), indexes.length)).toEqual(first);
      }),
    );
  });
});

function findAllContraindicatedPairs(): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  for (const first of kb.drugs) {
    for (const second of kb.drugs) {
      if (second.index <= first.index) continue;
      const regimen = [first, second].map((drug) => ({ drugIndex: drug.index, dosePerDay: drug.doseMax }));
      const hits = findPairHits(kb, regimen, factsOf(), { unknownCountsAs: true });
      if (hits.some((hit) => hit.severity === "contraindicated")) pairs.push([first.index, second.index]);
    }
  }
  return pairs;
}

describe("interaction excess", () => {
  const context = contextOf(["AF_STROKE"]);
  const ade = (items: readonly EvaluationItem[], orders: readonly string[] = []): number => {
    engine.setContext({ ...context, orders });
    return lam(engine.evaluate(items), "BLEED");
  };
  const pair = [itemOf("warfarin", { dosePerDay: 5 }), itemOf("sertraline", { dosePerDay: 50 })];

  test("of a managed hit counts four tenths", () => {
    const apart = new HarmEngine(kb, { useDoses: false });
    apart.setContext(context);
    const unmanaged = lam(apart.evaluate(pair), "BLEED");
    apart.setContext({ ...context, orders: ["INR", "HB", "NA"] });
    const managed = lam(apart.evaluate(pair), "BLEED");
    const mu = (rate: number): number => -0.6 * Math.log(1 - rate / 0.6);
    const base = 0.01 * Math.exp(0.45 * 3);
    expect(mu(unmanaged)).toBeCloseTo(base * 1.4, 10);
    expect(mu(managed)).toBeCloseTo(base * 1.16, 10);
  });

  test("fades with the smaller carry-over of the pair", () => {
    const faded = [pair[0]!, { ...pair[1]!, carryOver: 0.5, isActive: false }];
    expect(ade(faded)).toBeLessThan(ade(pair));
    expect(ade(faded)).toBeGreaterThan(ade([pair[0]!]));
    expect(ade([pair[0]!, { ...pair[1]!, carryOver: 0, isActive: false }])).toBe(ade([pair[0]!]));
  });

  test("a PPI manages GI bleeding hits and lowers the rate itself", () => {
    engine.setContext(contextOf(["OA_PAIN", "DEPRESSION"]));
    const without = lam(engine.evaluate([itemOf("ibuprofen"), itemOf("sertraline")]), "GI_BLEED");
    const withPpi = lam(
      engine.evaluate([itemOf("ibuprofen"), itemOf("sertraline"), itemOf("pantoprazole")]),
      "GI_BLEED",
    );
    expect(withPpi).toBeLessThan(0.45 * without);
  });

  test("NTI_TOX has a base of .010 per narrow index drug", () => {
    engine.setContext(contextOf([]));
    expect(lam(engine.evaluate([]), "NTI_TOX")).toBe(0);
    const one = lam(engine.evaluate([itemOf("levothyroxine")]), "NTI_TOX");
    expect(one).toBeCloseTo(0.6 * (1 - Math.exp(-0.01 / 0.6)), 12);
  });

  test("a hit in NTI_TOX without a narrow index drug has a base of .005", () => {
    const tables = readBundledTables();
    const moved = tables.interactions.replace(/^(DDI108\t.*?\tmoderate\t)[A-Z_]+/m, "$1NTI_TOX");
    const other = new HarmEngine(loadKnowledgeBase({ ...tables, interactions: moved }));
    other.setContext(contextOf([]));
    const rate = lam(other.evaluate([itemOf("metformin"), itemOf("ranolazine")]), "NTI_TOX");
    expect(rate).toBeCloseTo(0.6 * (1 - Math.exp((-0.005 * 1.4) / 0.6)), 12);
  });

  test("an admission multiplies the rate of its domain", () => {
    engine.setContext(context);
    const before = lam(engine.evaluate(pair), "BLEED");
    engine.setContext({ ...context, hazardMultipliers: { BLEED: 1.5 } });
    expect(lam(engine.evaluate(pair), "BLEED")).toBeCloseTo(1.5 * before, 12);
  });
});

describe("dose, exposure and reference", () => {
  test("phi grows with the square root of the dose between its limits", () => {
    engine.setContext(contextOf(["HTN"]));
    const points = (dosePerDay: number): number => {
      const rate = lam(engine.evaluate([itemOf("lisinopril", { dosePerDay })]), "HYPERK");
      return Math.log((-0.5 * Math.log(1 - rate / 0.5)) / 0.004) / 0.4;
    };
    // Two points; the reference dose of lisinopril is sqrt(5 * 40).
    const reference = Math.sqrt(5 * 40);
    const aucr = 1 / 0.8;
    expect(points(reference / aucr)).toBeCloseTo(2, 9);
    expect(points((2 * reference) / aucr)).toBeCloseTo(2 * Math.SQRT2, 9);
    expect(points((100 * reference) / aucr)).toBeCloseTo(2 * Math.sqrt(3), 9);
    expect(points((0.01 * reference) / aucr)).toBeCloseTo(1, 9);
  });

  test("an exposure above 1.25 of the level that was in range multiplies the base, below .85 it costs effect", () => {
    engine.setContext(contextOf(["BIPOLAR"], { crClMlPerMin: 100 }));
    const lithium = (shift: number) =>
      copyOf(engine.evaluate([itemOf("lithium_carbonate", { dosePerDay: 600, exposureReference: 600 / shift })]));
    const mu = (evaluation: Evaluation): number => -0.6 * Math.log(1 - lam(evaluation, "NTI_TOX") / 0.6);
    expect(mu(lithium(1))).toBeCloseTo(0.01, 12);
    expect(mu(lithium(1.25))).toBeCloseTo(0.01, 12);
    expect(mu(lithium(1.5))).toBeCloseTo(0.02, 12);
    expect(lithium(0.85).lamDis).toBeCloseTo(lithium(1).lamDis, 12);
    expect(lithium(0.6).lamDis).toBeGreaterThan(lithium(0.85).lamDis);
    expect(lithium(0.2).lamDis).toBeCloseTo(lithium(0.1).lamDis, 12);
    expect(lithium(1.5).exposureShift[0]).toBeCloseTo(1.5, 12);
  });

  test("warfarin above 1.2 of its reference bleeds with X to the power 1.5", () => {
    engine.setContext(contextOf(["AF_STROKE"]));
    const mu = (shift: number): number => {
      const item = itemOf("warfarin", { dosePerDay: 5, exposureReference: 5 / shift });
      return -0.6 * Math.log(1 - lam(engine.evaluate([item]), "BLEED") / 0.6);
    };
    expect(mu(1.2)).toBeCloseTo(mu(1), 12);
    expect(mu(2) / mu(1)).toBeCloseTo(2 ** 1.5, 9);
  });

  test("an inducer or a blocked activation cuts benefit and adds no hit of its own", () => {
    engine.setContext(contextOf(["CAD"]));
    const alone = engine.evaluate([itemOf("clopidogrel")]).lamDis;
    const blocked = engine.evaluate([itemOf("clopidogrel"), itemOf("omeprazole")]).lamDis;
    expect(blocked).toBeGreaterThan(alone);
  });

  test("a loss of effect that no enzyme explains leaves .8, .6 or .4, and most of it once timing is ordered", () => {
    const thyroid = contextOf(["HYPOTHYROID"]);
    const items = [itemOf("levothyroxine"), itemOf("calcium_carbonate")];
    engine.setContext(thyroid);
    const full = 0.15 * (1 - 0.9);
    expect(engine.evaluate([items[0]!]).lamDis).toBeCloseTo(full, 12);
    expect(engine.evaluate(items).lamDis).toBeCloseTo(0.15 * (1 - 0.9 * 0.8), 12);
    engine.setContext({ ...thyroid, orders: ["TIMING"] });
    expect(engine.evaluate(items).lamDis).toBeCloseTo(0.15 * (1 - 0.9 * 0.92), 12);
  });
});

describe("the engine's contract", () => {
  test("needs a context and takes at most 64 items", () => {
    expect(() => new HarmEngine(kb).evaluate([])).toThrow(/setContext first/);
    engine.setContext(contextOf([]));
    expect(() => engine.evaluate(Array.from({ length: MAX_ITEMS + 1 }, () => itemOf("senna")))).toThrow(/at most 64/);
  });

  test("90-day risk follows from LamADE", () => {
    expect(risk90Days(0)).toBe(0);
    expect(risk90Days(0.3)).toBeCloseTo(1 - Math.exp((-0.3 * 90) / 365), 12);
  });

  test("an antipsychotic costs .02 more with dementia", () => {
    plain.setContext(contextOf(["DEMENTIA"]));
    const demented = copyOf(plain.evaluate([itemOf("aripiprazole")]));
    const sum = demented.lamByDomain.reduce((total, rate, h) => total + rate * WEIGHTS[h]!, 0);
    expect(demented.lamAde - sum).toBeCloseTo(0.02, 10);
  });
});

/** w by domain in table order. */
const WEIGHTS = [
  0.5, 0.35, 0.12, 0.9, 0.08, 0.3, 1, 0.6, 0.45, 0.15, 0.3, 0.5, 0.35, 0.5, 0.25, 0.6, 0.8, 0.4, 0.6, 0.2,
];
