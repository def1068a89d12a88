import { expect, test } from "vitest";
import { fanInUniform, glorotUniform, normal, orthogonal } from "../src/index.ts";
import { seeded } from "./random.ts";

test.each([
  [5, 5],
  [7, 4],
  [3, 9],
])("an orthogonal %i × %i matrix has rows or columns of length gain at right angles", (rows, cols) => {
  const gain = Math.SQRT2;
  const w = new Float32Array(rows * cols);
  orthogonal(gain)(w, rows, cols, seeded(1));
  const byColumn = rows >= cols;
  const at = (vector: number, i: number) => (byColumn ? w[i * cols + vector]! : w[vector * cols + i]!);
  const [count, length] = byColumn ? [cols, rows] : [rows, cols];
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < count; b++) {
      let dot = 0;
      for (let i = 0; i < length; i++) dot += at(a, i) * at(b, i);
      expect(dot).toBeCloseTo(a === b ? gain ** 2 : 0, 5);
    }
  }
});

test("the same seed gives the same values, another seed others", () => {
  const fill = (seed: number) => {
    const w = new Float32Array(12);
    orthogonal(1)(w, 3, 4, seeded(seed));
    return [...w];
  };
  expect(fill(1)).toEqual(fill(1));
  expect(fill(1)).not.toEqual(fill(2));
});

test("uniform and normal initialisers have the spread they name", () => {
  const w = new Float32Array(40 * 60);
  fanInUniform(w, 40, 60, seeded(1));
  expect(Math.max(...w)).toBeLessThanOrEqual(1 / Math.sqrt(40));
  expect(Math.max(...w)).toBeGreaterThan(0.98 / Math.sqrt(40));
  glorotUniform(w, 40, 60, seeded(1));
  expect(Math.min(...w)).toBeGreaterThanOrEqual(-Math.sqrt(6 / 100));
  normal(0.5)(w, 40, 60, seeded(1));
  expect(Math.sqrt(w.reduce((sum, x) => sum + x * x, 0) / w.length)).toBeCloseTo(0.5, 1);
});
