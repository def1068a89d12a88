import type { Rng, RngStreams } from "@praxis/env";

/**
 * Where the engine gets its chance from. The environment keys every draw by what it is for, so that policies meet the same
 * luck (common random numbers) and nothing done in one task shifts a draw of another; planners hash theirs.
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
  /** Uniform: whether a dispute is settled when it is heard. */
  resolve(hearing: number, need: number): number;
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

  resolve(hearing: number, need: number): number {
    return this.#streams.keyed("conflicts", this.#task, "resolve", hearing, need).uniform();
  }

  #specialist(): Rng {
    this.#work ??= this.#streams.keyed("specialists", this.#task, this.#slot, this.#call);
    return this.#work;
  }
}

/** Steps of a 32-bit mixer. Source: lowbias32, C. Wellons 2018. */
function mix32(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return x ^ (x >>> 15);
}

const GOLDEN = 0x9e3779b9;

/**
 * Chance for rollouts: every draw is a hash of the simulation's number and of what it is for, so that the choices which a
 * planner compares meet the same luck; much cheaper than keyed streams.
 */
export class HashNoise implements Noise {
  #simulation = 0;
  #state = 0;
  #failures = 0;
  #conflicts = 0;

  /** All draws are now those of this simulation. @param seed 32 bits */
  begin(seed: number): void {
    this.#simulation = mix32(seed ^ GOLDEN);
  }

  openCall(slot: number, call: number): void {
    this.#state = this.#key(1, slot, call);
    this.#failures = this.#key(2, slot, call);
    this.#conflicts = this.#key(3, slot, call);
  }

  normal(): number {
    this.#state = (this.#state + GOLDEN) | 0;
    const first = this.#state;
    this.#state = (this.#state + GOLDEN) | 0;
    return gauss(first, this.#state);
  }

  uniform(): number {
    this.#state = (this.#state + GOLDEN) | 0;
    return unit(this.#state);
  }

  failure(): number {
    this.#failures = (this.#failures + GOLDEN) | 0;
    return unit(this.#failures);
  }

  school(): number {
    this.#conflicts = (this.#conflicts + GOLDEN) | 0;
    return unit(this.#conflicts);
  }

  judge(version: number): number {
    const key = this.#key(4, version, 0);
    return gauss(key, key + GOLDEN);
  }

  judgeSingle(slot: number, call: number): number {
    const key = this.#key(5, slot, call);
    return gauss(key, key + GOLDEN);
  }

  judgeFinal(whose: "team" | "generalist"): number {
    const key = this.#key(6, whose === "team" ? 0 : 1, 0);
    return gauss(key, key + GOLDEN);
  }

  resolve(hearing: number, need: number): number {
    return unit(this.#key(7, hearing, need));
  }

  #key(kind: number, a: number, b: number): number {
    return mix32(this.#simulation ^ mix32((kind << 20) ^ (a << 10) ^ b));
  }
}

/** Uniform in (0, 1). */
const unit = (key: number): number => ((mix32(key) >>> 0) + 0.5) / 2 ** 32;
/** Box and Muller 1958. */
const gauss = (a: number, b: number): number => Math.sqrt(-2 * Math.log(unit(a))) * Math.cos(2 * Math.PI * unit(b));
