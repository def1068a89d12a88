import { NnError } from "../errors.ts";

/**
 * How sequences [steps, batch] with episode starts inside are laid out for a recurrent layer: each run between two starts
 * becomes a sequence of its own, and runs are sorted by length, longest first. Then step s of all runs that have one is a
 * block of neighbouring rows, and short episodes are computed side by side instead of one after the other.
 */
export interface Segments {
  /** Runs that have a step s, for each s. */
  readonly counts: readonly number[];
  /** First packed row of step s. */
  readonly offsets: readonly number[];
  /** Original row (step · batch + column) of each packed row. */
  readonly order: Int32Array;
  /** Packed row of each original row. */
  readonly position: Int32Array;
  /** For each run, the batch column whose stored state it continues; −1: it begins from zeros. */
  readonly carriedFrom: Int32Array;
  /** Packed and original order are the same. */
  readonly inOrder: boolean;
}

/** @param starts [steps, batch], nonzero where an episode begins; null: nowhere */
export function findSegments(steps: number, batch: number, starts: ArrayLike<number> | null): Segments {
  if (starts !== null && starts.length !== steps * batch) {
    throw new NnError("BAD_SHAPE", `${starts.length} episode starts were given for ${steps} steps of ${batch} rows.`);
  }
  const runs: { column: number; from: number; length: number; carried: boolean }[] = [];
  for (let column = 0; column < batch; column++) {
    let from = 0;
    for (let t = 1; t <= steps; t++) {
      if (t < steps && (starts === null || starts[t * batch + column] === 0)) continue;
      const carried = from === 0 && (starts === null || starts[column] === 0);
      runs.push({ column, from, length: t - from, carried });
      from = t;
    }
  }
  runs.sort((a, b) => b.length - a.length || a.column - b.column || a.from - b.from);

  const counts: number[] = [];
  const offsets: number[] = [];
  const order = new Int32Array(steps * batch);
  const position = new Int32Array(steps * batch);
  let row = 0;
  for (let s = 0; s < (runs[0]?.length ?? 0); s++) {
    offsets.push(row);
    let count = 0;
    while (count < runs.length && runs[count]!.length > s) {
      const { column, from } = runs[count]!;
      const original = (from + s) * batch + column;
      order[row] = original;
      position[original] = row;
      row++;
      count++;
    }
    counts.push(count);
  }
  return {
    counts,
    offsets,
    order,
    position,
    carriedFrom: Int32Array.from(runs, (run) => (run.carried ? run.column : -1)),
    inOrder: order.every((original, packed) => original === packed),
  };
}
