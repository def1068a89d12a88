import fc from "fast-check";
import { expect, test } from "vitest";
import { ObservationNormalizer, RewardNormalizer, RunningMoments } from "../src/normalizers.ts";

test("running moments equal those of all values at once", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 2, maxLength: 30 }),
      (values) => {
        const moments = new RunningMoments(1);
        for (const value of values) moments.add([value]);
        const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
        const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length;
        expect(moments.mean(0)).toBeCloseTo(mean, 6);
        expect(moments.deviation(0)).toBeCloseTo(Math.sqrt(variance), 6);
      },
    ),
  );
});

test("normalised observations are held within ten deviations and applying changes nothing", () => {
  const normalizer = new ObservationNormalizer(2);
  normalizer.update(Float32Array.of(0, 10, 2, 30));
  const before = normalizer.moments.save();
  expect([...normalizer.apply(Float32Array.of(1, 30, 1e9, 20))]).toEqual([0, 1, 10, 0]);
  expect(normalizer.moments.save()).toEqual(before);
});

test("rewards are divided by the deviation of the discounted return, which ends with the episode", () => {
  const normalizer = new RewardNormalizer(1, 0.5);
  const scaled = [2, 2, 2].map((reward, t) => normalizer.step(Float64Array.of(reward), [t === 1 ? 1 : 0])[0]!);
  // Returns so far: 2; 3; 2 after the end.
  expect(scaled[0]).toBeCloseTo(2, 6);
  expect(scaled[1]).toBeCloseTo(2 / 0.5, 6);
  expect(scaled[2]).toBeCloseTo(2 / Math.sqrt(2 / 9), 6);
});

test("saved moments go on where they were", () => {
  const one = new RewardNormalizer(2, 0.9);
  one.step(Float64Array.of(1, 2), [0, 1]);
  const two = new RewardNormalizer(2, 0.9);
  two.restore(JSON.parse(JSON.stringify(one.save())));
  expect(two.step(Float64Array.of(3, 4), [0, 0])).toEqual(one.step(Float64Array.of(3, 4), [0, 0]));
});
