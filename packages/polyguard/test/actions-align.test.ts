import { describe, expect, test } from "vitest";
import { alignAction } from "../src/actions/align.ts";
import { canonicalPayload } from "../src/actions/canonical.ts";
import { add, adjust, drugIndex, makeContext, offer, stop, substitute, take } from "./known-fixtures.ts";

const context = makeContext({ drugs: ["ibuprofen", "warfarin"] });
const swap = offer(context, substitute("m1", "acetaminophen", ["LFT"]), "c_swap");
const lower = offer(context, adjust("m1", 400, 2), "c_lower");
const review = offer(context, { type: "REQUEST_REVIEW", reviewTo: "pharmacist", target: "m1" }, "c_review");
const offered = [swap, lower, review];

describe("an action against its candidate", () => {
  test("equal fields align fully and the candidate's payload is what runs", () => {
    expect(alignAction(take(swap), offered)).toMatchObject({ score: 1, payload: swap.payload, differences: [] });
  });

  test("one differing non-dose field is replaced by the candidate's at half the score", () => {
    const result = alignAction(take(lower, { freq: 3 }), offered);
    expect(result).toMatchObject({
      score: 0.5,
      payload: lower.payload,
      differences: ["freq"],
      isDrugOrDoseMismatch: false,
    });
    expect(alignAction(take(swap, { orders: [] }), offered)).toMatchObject({ score: 0.5, differences: ["orders"] });
  });

  test("two differing non-dose fields are no longer the candidate", () => {
    expect(alignAction(take(swap, { freq: 7, orders: [] }), offered)).toMatchObject({ score: 0, payload: null });
  });

  test.each([
    ["dose", { dose_per_day: 800 }],
    ["target", { target: "m2" }],
  ])("another %s runs nothing and is a mismatch", (_name, changes) => {
    expect(alignAction(take(lower, changes), offered)).toMatchObject({
      score: 0,
      payload: null,
      isDrugOrDoseMismatch: true,
    });
  });

  test("another action type or taper runs nothing and is no drug or dose mismatch", () => {
    expect(alignAction(take(lower, { action_type: "STOP_DRUG" }), offered)).toMatchObject({
      score: 0,
      payload: null,
      isDrugOrDoseMismatch: false,
    });
    expect(alignAction(take(lower, { taper: { step_pct: 5, interval_days: 7 } }), offered).payload).toBeNull();
  });

  test("an id that is not offered aligns with nothing", () => {
    expect(alignAction(take(lower, { candidate_id: "c_other" }), offered)).toMatchObject({
      score: 0,
      candidate: null,
      payload: null,
    });
  });

  test("the order of the orders and the last digits of a dose do not matter", () => {
    const two = offer(context, add("metformin", 500, { orders: ["CREAT", "B12"] }), "c_two");
    const action = take(two, { orders: ["B12", "CREAT"], dose_per_day: 500 + 1e-10 });
    expect(alignAction(action, [two]).score).toBe(1);
  });

  test("free fields travel with the candidate's payload where the type has them", () => {
    expect(alignAction(take(review, { review_to: "cardiologist" }), offered)).toMatchObject({
      score: 1,
      payload: { type: "REQUEST_REVIEW", reviewTo: "cardiologist" },
    });
    expect(alignAction(take(lower, { query: "secret" }), offered)).toMatchObject({
      score: 0.5,
      differences: ["query"],
    });
  });

  test("free families skip the list and need their own field", () => {
    const probe = { ...take(lower), candidate_id: "c_probe", action_type: "PROBE_COMBINATION" as const };
    expect(alignAction({ ...probe, combinations: [["b", "a"]] }, offered)).toMatchObject({
      score: 1,
      payload: { type: "PROBE_COMBINATION", combinations: [["a", "b"]] },
    });
    expect(alignAction(probe, offered)).toMatchObject({ score: 0, payload: null });
  });
});

describe("canonical payloads", () => {
  test("differ for different actions and are equal whatever the order of the orders", () => {
    const payloads = [
      stop("m1"),
      stop("m2"),
      add("metformin"),
      adjust("m1", 5),
      adjust("m1", 10),
      { ...stop("m1"), switchToDrugIndex: drugIndex("apixaban") },
    ];
    expect(new Set(payloads.map((payload) => canonicalPayload(payload as never))).size).toBe(payloads.length);
    const one = add("metformin", 500, { orders: ["A", "B"] });
    const other = add("metformin", 500, { orders: ["B", "A"] });
    expect(canonicalPayload(one)).toBe(canonicalPayload(other));
  });
});
