import { expect } from "vitest";

export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
}

interface AllcloseMatchers<R = unknown> {
  /** |actual − expected| ≤ atol + rtol · |expected| for every element; equal infinities and NaN match. */
  toBeAllclose(expected: ArrayLike<number>, tolerance: Tolerance): R;
}

declare module "vitest" {
  interface Matchers<T> extends AllcloseMatchers<T> {}
}

expect.extend({
  toBeAllclose(actual: ArrayLike<number>, expected: ArrayLike<number>, { rtol, atol }: Tolerance) {
    const fail = (message: string) => ({ pass: false, message: () => message });
    if (actual.length !== expected.length) return fail(`${actual.length} elements instead of ${expected.length}`);
    for (let i = 0; i < actual.length; i++) {
      const [a, e] = [actual[i]!, expected[i]!];
      if (Object.is(a, e) || a === e) continue;
      if (!(Math.abs(a - e) <= atol + rtol * Math.abs(e))) return fail(`element ${i} is ${a} instead of ${e}`);
    }
    return { pass: true, message: () => "every element is close" };
  },
});
