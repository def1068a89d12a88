/** The projected constant columns of running episodes, by environment; made for one rollout, as weights change after it. */
export class ConstantCache {
  readonly #parts = new Map<string, Float32Array>();

  /** Rows of `name` [batch, outputs], refreshed by `project` where an episode starts and for all at first. */
  rows(name: string, starts: ArrayLike<number>, outputs: number, project: (rows: readonly number[]) => Float32Array) {
    const known = this.#parts.get(name);
    const part = known ?? new Float32Array(starts.length * outputs);
    const stale = Array.from({ length: starts.length }, (_, b) => b).filter((b) => known === undefined || starts[b]);
    if (stale.length > 0) {
      const fresh = project(stale);
      stale.forEach((b, i) => {
        part.set(fresh.subarray(i * outputs, (i + 1) * outputs), b * outputs);
      });
    }
    this.#parts.set(name, part);
    return part;
  }
}
