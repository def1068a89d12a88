import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Rng, RngStreams } from "../src/rng.ts";

const seeds = fc.maxSafeNat();
const draws = (rng: Rng, count = 8): number[] => Array.from({ length: count }, () => rng.uint32());
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("published vectors", () => {
  test("xoshiro128** 1.1 from the state 1, 2, 3, 4 gives the reference implementation's numbers", () => {
    const rng = Rng.restore({ seed: [0, 0], words: [1, 2, 3, 4] });
    expect(draws(rng, 10)).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ]);
  });

  test("the state comes from SplitMix64: seed 1234567 gives its first two published outputs", () => {
    const [a, b, c, d] = Rng.fromSeed(1234567)
      .save()
      .words.map((word) => BigInt(word)) as [bigint, bigint, bigint, bigint];
    expect((a << 32n) | b).toBe(6457827717110365317n);
    expect((c << 32n) | d).toBe(3203168211198807973n);
  });
});

describe("streams", () => {
  test("the streams of a seed are golden: a change here changes every recorded trajectory", () => {
    expect(draws(Rng.fromSeed(7), 3)).toEqual([3862390990, 4208724732, 1102073705]);
    expect(draws(Rng.fromSeed(7, "scenario"), 3)).toEqual([1087103302, 222022102, 4183079143]);
    expect(
      draws(
        Rng.fromSeed(2 ** 53 - 1)
          .split("a")
          .split("b"),
        3,
      ),
    ).toEqual([671390680, 4053353038, 4231335639]);
  });

  test("a split depends on seed and name only, not on what was drawn", () => {
    fc.assert(
      fc.property(seeds, fc.string(), fc.nat(20), (seed, name, drawn) => {
        const used = Rng.fromSeed(seed);
        draws(used, drawn);
        expect(draws(used.split(name))).toEqual(draws(Rng.fromSeed(seed).split(name)));
      }),
    );
  });

  test("splitting draws nothing from the parent", () => {
    fc.assert(
      fc.property(seeds, fc.string(), (seed, name) => {
        const rng = Rng.fromSeed(seed);
        rng.split(name);
        expect(draws(rng)).toEqual(draws(Rng.fromSeed(seed)));
      }),
    );
  });

  test("another name, another seed and another order of names give other streams", () => {
    fc.assert(
      fc.property(seeds, fc.string(), fc.string(), (seed, a, b) => {
        fc.pre(a !== b);
        const root = Rng.fromSeed(seed);
        expect(draws(root.split(a))).not.toEqual(draws(root.split(b)));
        expect(draws(root.split(a))).not.toEqual(draws(root));
        expect(draws(root.split(a).split(b))).not.toEqual(draws(root.split(b).split(a)));
        expect(draws(root.split(a))).not.toEqual(draws(Rng.fromSeed(seed === 0 ? 1 : seed - 1).split(a)));
      }),
    );
  });

  test("streams of neighbouring seeds and names do not correlate", () => {
    const columns = Array.from({ length: 6 }, (_, i) => {
      const rng = Rng.fromSeed(i >> 1, String(i & 1));
      return Array.from({ length: 4000 }, () => rng.uniform() - 0.5);
    });
    for (const [i, a] of columns.entries())
      for (const b of columns.slice(i + 1)) {
        const correlation = mean(a.map((value, t) => value * b[t]!)) * 12;
        expect(Math.abs(correlation)).toBeLessThan(5 / Math.sqrt(4000));
      }
  });

  test("a saved stream goes on where it was", () => {
    fc.assert(
      fc.property(seeds, fc.nat(10), (seed, before) => {
        const rng = Rng.fromSeed(seed, "s");
        draws(rng, before);
        const saved = structuredClone(rng.save());
        const expected = draws(rng);
        expect(draws(Rng.restore(saved))).toEqual(expected);
        expect(draws(Rng.restore(saved).split("t"))).toEqual(draws(rng.split("t")));
      }),
    );
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53])("the seed %s is refused", (seed) => {
    expect(() => Rng.fromSeed(seed)).toThrow(RangeError);
  });
});

describe("distributions", () => {
  test("uniform draws lie in [0, 1) with mean 1/2 and variance 1/12", () => {
    const rng = Rng.fromSeed(1);
    const values = Array.from({ length: 20_000 }, () => rng.uniform());
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(mean(values)).toBeCloseTo(0.5, 2);
    expect(mean(values.map((value) => (value - 0.5) ** 2))).toBeCloseTo(1 / 12, 2);
  });

  test("integers stay within both bounds and reach them", () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: -50, max: 50 }), fc.nat(4), (seed, low, width) => {
        const rng = Rng.fromSeed(seed);
        const seen = new Set(Array.from({ length: 200 }, () => rng.integer(low, low + width)));
        expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: width + 1 }, (_, i) => low + i));
      }),
    );
  });

  test("an integer range may have all 2^32 values, and an empty or broken one is refused", () => {
    const rng = Rng.fromSeed(1);
    expect(rng.integer(0, 2 ** 32 - 1)).toBe(Rng.fromSeed(1).uint32());
    expect(() => rng.integer(1, 0)).toThrow("Rng.integer needs integers low ≤ high");
    expect(() => rng.integer(0, 2 ** 32)).toThrow(RangeError);
    expect(() => rng.integer(0, 0.5)).toThrow(RangeError);
  });

  test("normal draws have the mean and standard deviation asked for", () => {
    const rng = Rng.fromSeed(3);
    const values = Array.from({ length: 20_000 }, () => rng.normal(10, 2));
    expect(mean(values)).toBeCloseTo(10, 1);
    expect(Math.sqrt(mean(values.map((value) => (value - 10) ** 2)))).toBeCloseTo(2, 1);
  });

  test("a weighted index is drawn in proportion and never has weight 0", () => {
    const rng = Rng.fromSeed(4);
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 10_000; i++) counts[rng.weightedIndex([0, 1, 3, 0])]!++;
    expect(counts[0]).toBe(0);
    expect(counts[3]).toBe(0);
    expect(counts[2]! / counts[1]!).toBeGreaterThan(2.7);
    expect(counts[2]! / counts[1]!).toBeLessThan(3.3);
    expect(() => rng.weightedIndex([0, 0])).toThrow("positive sum");
  });

  test("bernoulli takes one draw whatever its probability", () => {
    const a = Rng.fromSeed(5);
    const b = Rng.fromSeed(5);
    expect([a.bernoulli(0), b.bernoulli(1)]).toEqual([false, true]);
    expect(draws(a)).toEqual(draws(b));
  });

  test("a shuffle is a permutation and leaves its argument alone", () => {
    fc.assert(
      fc.property(seeds, fc.array(fc.integer()), (seed, items) => {
        const before = [...items];
        const shuffled = Rng.fromSeed(seed).shuffled(items);
        expect(items).toEqual(before);
        expect(shuffled.sort((a, b) => a - b)).toEqual(before.sort((a, b) => a - b));
      }),
    );
  });

  test("a choice is a member, and an empty list is refused", () => {
    const rng = Rng.fromSeed(6);
    expect(["a", "b"]).toContain(rng.choice(["a", "b"]));
    expect(() => rng.choice([])).toThrow("non-empty list");
  });
});

describe("RngStreams", () => {
  test("a draw in one stream never shifts another", () => {
    fc.assert(
      fc.property(seeds, fc.nat(9), (seed, extra) => {
        const plain = new RngStreams(Rng.fromSeed(seed));
        const busy = new RngStreams(Rng.fromSeed(seed));
        draws(busy.stream("noise"), extra);
        expect(draws(busy.stream("scenario"))).toEqual(draws(plain.stream("scenario")));
      }),
    );
  });

  test("a stream goes on from call to call, a keyed one begins anew", () => {
    const streams = new RngStreams(Rng.fromSeed(1));
    expect(draws(streams.stream("a"))).not.toEqual(draws(streams.stream("a")));
    expect(draws(streams.keyed("a", 1))).toEqual(draws(streams.keyed("a", 1)));
  });

  test("keys are told apart from each other and from the names of streams", () => {
    const streams = new RngStreams(Rng.fromSeed(1));
    const all = [
      streams.keyed("a", "b"),
      streams.keyed("a/b"),
      streams.keyed("a,b"),
      streams.keyed("a", 1),
      streams.keyed("a", "1"),
      streams.keyed("a"),
      streams.stream("a"),
      streams.stream("a/b"),
    ].map((rng) => rng.uint32());
    expect(new Set(all).size).toBe(all.length);
  });

  test("all streams are saved and restored together", () => {
    const streams = new RngStreams(Rng.fromSeed(1));
    draws(streams.stream("a"), 3);
    draws(streams.stream("b"), 5);
    const saved = structuredClone(streams.save());
    const restored = RngStreams.restore(saved);
    for (const name of ["a", "b", "new"]) expect(draws(restored.stream(name))).toEqual(draws(streams.stream(name)));
  });
});
