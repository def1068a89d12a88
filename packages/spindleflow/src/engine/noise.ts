import type { Rng, RngStreams } from "@praxis/env";

/**
 * Where the engine gets its chance from. The environment keys every draw by what it is for, so that policies meet the same
 * luck (common random numbers) and nothing done in one task shifts a draw of another; planners draw from one stream.
 */
export interface Noise {
  /** The draws of {@link normal}, {@link uniform}, {@link failure} and {@link school} are now those of this call. */
  openCall(slot: number, call: number): void;
  /** Standard normal: latency, then one per needed skill, then style. */
  normal(): number;
  /** Uniform: one per needed skill of a diagnosis. */
  uniform(): number;
  /** Uniform: whether the call fails, then how. */
  failure(): number;
  /** Uniform: whether the school is kept, one per needed skill. */
  school(): number;
  /** Standard normal of the team's output at a version. */
  judge(version: number): number;
  /** Standard normal of one output by itself. */
  judgeSingle(slot: number, call: number): number;
  /** Standard normal of a task's final score: of the team, of the generalist. */
  judgeFinal(whose: "team" | "generalist"): number;
  /** Uniform: whether a dispute is settled at a version. */
  resolve(version: number, need: number): number;
}

/** The environment's chance in one task: streams `specialists`, `failures`, `conflicts` and `judge` split by task. */
export class KeyedNoise implements Noise {
  readonly #streams: RngStreams;
  readonly #task: number;
  #slot = 0;
  #call = 0;
  #work: Rng | null = null;
  #failures: Rng | null = null;
  #conflicts: Rng | null = null;

  constructor(streams: RngStreams, task: number) {
    this.#streams = streams;
    this.#task = task;
  }

  openCall(slot: number, call: number): void {
    this.#slot = slot;
    this.#call = call;
    this.#work = null;
    this.#failures = null;
    this.#conflicts = null;
  }

  normal(): number {
    return this.#specialist().normal();
  }

  uniform(): number {
    return this.#specialist().uniform();
  }

  failure(): number {
    this.#failures ??= this.#streams.keyed("failures", this.#task, this.#slot, this.#call);
    return this.#failures.uniform();
  }

  school(): number {
    this.#conflicts ??= this.#streams.keyed("conflicts", this.#task, this.#slot, this.#call);
    return this.#conflicts.uniform();
  }

  judge(version: number): number {
    return this.#streams.keyed("judge", this.#task, "team", version).normal();
  }

  judgeSingle(slot: number, call: number): number {
    return this.#streams.keyed("judge", this.#task, "single", slot, call).normal();
  }

  judgeFinal(whose: "team" | "generalist"): number {
    return this.#streams.keyed("judge", this.#task, "final", whose).normal();
  }

  resolve(version: number, need: number): number {
    return this.#streams.keyed("conflicts", this.#task, "resolve", version, need).uniform();
  }

  #specialist(): Rng {
    this.#work ??= this.#streams.keyed("specialists", this.#task, this.#slot, this.#call);
    return this.#work;
  }
}

/** Chance for rollouts: whatever is asked for comes from one stream. */
export class StreamNoise implements Noise {
  readonly #rng: Rng;

  constructor(rng: Rng) {
    this.#rng = rng;
  }

  openCall(): void {}

  normal(): number {
    return this.#rng.normal();
  }

  uniform(): number {
    return this.#rng.uniform();
  }

  failure(): number {
    return this.#rng.uniform();
  }

  school(): number {
    return this.#rng.uniform();
  }

  judge(): number {
    return this.#rng.normal();
  }

  judgeSingle(): number {
    return this.#rng.normal();
  }

  judgeFinal(): number {
    return this.#rng.normal();
  }

  resolve(): number {
    return this.#rng.uniform();
  }
}
