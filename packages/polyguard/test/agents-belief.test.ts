import { describe, expect, test } from "vitest";
import { choosePlan, propose } from "../src/agents/planner.ts";
import { BeliefTracker } from "../src/policies/belief/belief.ts";
import { ChartReader } from "../src/policies/chart.ts";
import { changedChart, firstChart } from "./agents-fixtures.ts";
import { kb } from "./policy-fixtures.ts";

const seeds = [1, 2, 3];

describe("the belief", () => {
  test("holds the list as the chart shows it: the same refs, drugs, doses and clock", () => {
    for (const seed of seeds) {
      const chart = firstChart(seed);
      const { state } = new BeliefTracker(kb).see(chart);
      expect(state.clock).toEqual(chart.known.clock);
      const believed = state.medications.map(({ medRef, drugIndex, dosePerDay }) => [medRef, drugIndex, dosePerDay]);
      const shown = chart.legality.listed.map(({ medRef, drugIndex, dosePerDay }) => [medRef, drugIndex, dosePerDay]);
      expect(believed.sort()).toEqual(shown.sort());
    }
  });

  test("takes the kidneys for poor where no creatinine is known, and as measured where one is", () => {
    const chart = firstChart(1);
    const { organ } = chart.observation;
    const without = changedChart(chart, { organ: { ...organ, scr: null, crcl: null, egfr: null } });
    const scr = { value: 0.9, unit: "mg/dL", age_days: 0, flag: "N" as const };
    const withValue = changedChart(chart, { organ: { ...organ, scr } });
    const clearance = (of: typeof chart): number =>
      new BeliefTracker(kb).see(of).state.physiology.creatinineClearanceMlPerMin;
    expect(clearance(without)).toBeLessThan(clearance(withValue));
  });

  test("is the same for the same chart, whoever asks", () => {
    const chart = firstChart(2);
    const again = new ChartReader(kb).read(structuredClone(chart.observation));
    expect(new BeliefTracker(kb).see(again).state).toEqual(new BeliefTracker(kb).see(chart).state);
  });

  test("remembers a stopped drug, which the list shows no more", () => {
    const chart = firstChart(3);
    const tracker = new BeliefTracker(kb);
    const belief = tracker.see(chart);
    const stop = belief.model.offers(belief.state).find(({ payload }) => payload.type === "STOP_DRUG")!.payload;
    if (stop.type !== "STOP_DRUG") throw new Error("a stop was looked for");
    const { drugIndex } = chart.legality.byRef.get(stop.medRef)!;
    tracker.choose(belief, stop);
    const { observation } = chart;
    const later = changedChart(chart, {
      step: 1,
      course: { ...observation.course, day: 14, visits_left: observation.course.visits_left - 1 },
      medications: observation.medications.filter(({ med_ref: ref }) => ref !== stop.medRef),
      history: [{ step: 0, action_type: "STOP_DRUG", target: stop.medRef, outcome: "done" }],
    });
    const { state } = tracker.see(later);
    expect(state.stopped.map((each) => each.drugIndex)).toContain(drugIndex);
    expect(state.medications.map((each) => each.drugIndex)).not.toContain(drugIndex);
  });
});

describe("the planner", () => {
  test("ranks legal actions and KEEP by expected J, each lower bound at most the expectation", () => {
    const chart = firstChart(2);
    const proposals = propose(chart, new BeliefTracker(kb).see(chart), []);
    expect(proposals.some(({ offer }) => offer.payload.type === "KEEP_REGIMEN")).toBe(true);
    for (const [rank, { offer, expectedJ, lowerJ }] of proposals.entries()) {
      expect(offer.isLegal).toBe(true);
      expect(lowerJ).toBeLessThanOrEqual(expectedJ);
      if (rank > 0) expect(expectedJ).toBeLessThanOrEqual(proposals[rank - 1]!.expectedJ);
    }
  });

  test("leaves the rules' decision alone when no plan promises clearly more", () => {
    const chart = firstChart(2);
    const proposals = propose(chart, new BeliefTracker(kb).see(chart), []);
    const [best] = proposals;
    expect(choosePlan(proposals, { offer: best!.offer, reason: "", confidence: 0.5 })).toBeNull();
  });

  test("puts a plan that promises clearly more before what the rules would do", () => {
    const chart = firstChart(2);
    const proposals = propose(chart, new BeliefTracker(kb).see(chart), []);
    const rules = { offer: proposals.at(-1)!.offer, reason: "", confidence: 0.5 };
    const raised = proposals.map((each, rank) => (rank === 0 ? { ...each, expectedJ: each.expectedJ + 0.01 } : each));
    expect(choosePlan(raised, rules)).toBe(raised[0]);
    const level = proposals.map((each) => ({ ...each, expectedJ: -0.5 }));
    expect(choosePlan(level, rules)).toBeNull();
  });
});
