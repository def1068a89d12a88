import { safeLogDensity } from "./risk-model.ts";

/** Log odds at which a subset counts as dangerous or as safe. */
const SURE = 4;
/** Even odds at the start: a wrong growth is about as likely as noise in one test. */
const FIRST_ODDS = 0;
/** Probes of one subset at most; undecided ones are not declared. */
const MOST_PROBES = 20;
/** assumption: an excess below this would not count as dangerous. */
const LEAST_EXCESS = 0.16;

/** Tests one subset after another by a sequential likelihood ratio (Wald 1945) before it may be declared. */
export class Verification {
  readonly pattern: readonly number[];
  readonly confirmed: (readonly number[])[] = [];
  readonly refuted: (readonly number[])[] = [];
  readonly #waiting: (readonly number[])[];
  readonly #noise: number;
  readonly #excess: number;
  #odds = FIRST_ODDS;
  #probes = 0;

  /** @param excess expected excess of the subsets */
  constructor(
    pattern: readonly number[],
    test: { readonly subsets: readonly (readonly number[])[]; readonly noise: number; readonly excess: number },
  ) {
    this.pattern = pattern;
    this.#waiting = [...test.subsets];
    this.#noise = test.noise;
    this.#excess = Math.max(LEAST_EXCESS, test.excess);
  }

  get isDone(): boolean {
    return this.#waiting.length === 0;
  }

  /** Subsets that are not tested yet. */
  get waiting(): readonly (readonly number[])[] {
    return this.#waiting;
  }

  /** The subset under test. */
  propose(): readonly number[] {
    return this.#waiting[0]!;
  }

  learn(observed: number): void {
    this.#probes++;
    this.#odds += this.#dangerLogDensity(observed) - safeLogDensity(observed, this.#noise);
    if (this.#odds > SURE) this.#close(this.confirmed);
    else if (this.#odds < -SURE || this.#probes >= MOST_PROBES) this.#close(this.refuted);
  }

  #close(list: (readonly number[])[]): void {
    list.push(this.#waiting.shift()!);
    this.#odds = FIRST_ODDS;
    this.#probes = 0;
  }

  /** Normal around the expected excess; above it the density stays at its top, so that a larger danger is no surprise. */
  #dangerLogDensity(observed: number): number {
    const z = Math.min(0, observed - 1 - this.#excess) / this.#noise;
    return -0.5 * z * z - Math.log(this.#noise);
  }
}
