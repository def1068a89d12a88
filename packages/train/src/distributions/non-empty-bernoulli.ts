import type { Rng } from "@praxis/env";
import { sigmoid, softplus } from "./logistic.ts";

/** Below this the chance that nothing is chosen is 1 in float64, and sums of small chances stand for it. */
const ALMOST_NEVER = -1e-12;

/**
 * Independent bits under the condition that at least one is set, exactly and without rejection: with p the chance of each
 * allowed bit, Z = 1 − Π(1 − p), the first set bit f has P(f) = p_f Π_{j<f}(1 − p_j) / Z and later ones are independent.
 * log P(bits) = Σ log Bern(bit; p) − log Z. As an exponential family in the logits ℓ (log P = ℓ·bits − A) its entropy is
 * A − ℓ·q with q = p / Z, the chance of each bit under the condition.
 *
 * One object serves many rows: {@link NonEmptyBernoulli.set} reads a row, the other methods speak of it.
 */
export class NonEmptyBernoulli {
  readonly size: number;
  readonly #logits: Float64Array;
  readonly #allowed: Uint8Array;
  /** p, and q = p / Z; 0 where forbidden. */
  readonly #p: Float64Array;
  readonly #q: Float64Array;
  /** Σ log(1 − p) over allowed bits. */
  #logNone = 0;
  #logZ = Number.NEGATIVE_INFINITY;

  constructor(size: number) {
    this.size = size;
    this.#logits = new Float64Array(size);
    this.#allowed = new Uint8Array(size);
    this.#p = new Float64Array(size);
    this.#q = new Float64Array(size);
  }

  /**
   * Reads a row: finite logits, and which bits may be set. Returns false when none may.
   * @param isAllowed by bit
   */
  set(logits: ArrayLike<number>, from: number, isAllowed: (j: number) => boolean): boolean {
    let logNone = 0;
    let largest = Number.NEGATIVE_INFINITY;
    for (let j = 0; j < this.size; j++) {
      const x = logits[from + j]!;
      this.#logits[j] = x;
      this.#allowed[j] = isAllowed(j) ? 1 : 0;
      this.#p[j] = 0;
      this.#q[j] = 0;
      if (this.#allowed[j] === 0) continue;
      this.#p[j] = sigmoid(x);
      logNone -= softplus(x);
      largest = Math.max(largest, x);
    }
    this.#logNone = logNone;
    if (largest === Number.NEGATIVE_INFINITY) return false;
    this.#logZ = logNone < ALMOST_NEVER ? log1mExp(logNone) : this.#logSumOfChances(largest);
    for (let j = 0; j < this.size; j++)
      if (this.#allowed[j] !== 0) this.#q[j] = Math.exp(-softplus(-this.#logits[j]!) - this.#logZ);
    return true;
  }

  allows(j: number): boolean {
    return this.#allowed[j] !== 0;
  }

  /** Chance that bit `j` is set, given that one is at least. */
  chance(j: number): number {
    return this.#q[j]!;
  }

  /** Logarithm of the probability of the set of bits for which `isSet` holds; −Infinity for none and for a forbidden one. */
  logProb(isSet: (j: number) => boolean): number {
    let logProb = -this.#logZ;
    let count = 0;
    for (let j = 0; j < this.size; j++) {
      const bit = isSet(j);
      if (bit) count++;
      if (this.#allowed[j] === 0) {
        if (bit) return Number.NEGATIVE_INFINITY;
        continue;
      }
      logProb -= softplus(bit ? -this.#logits[j]! : this.#logits[j]!);
    }
    return count === 0 ? Number.NEGATIVE_INFINITY : logProb;
  }

  entropy(): number {
    let entropy = this.#logZ - this.#logNone;
    for (let j = 0; j < this.size; j++) if (this.#q[j]! > 0) entropy -= this.#q[j]! * this.#logits[j]!;
    return entropy;
  }

  /** Adds the gradient of `dLogProb · logProb(isSet) + dEntropy · entropy` at the logits to `into` from `at` on. */
  addGradient(
    isSet: (j: number) => boolean,
    { dLogProb, dEntropy }: { readonly dLogProb: number; readonly dEntropy: number },
    into: Float32Array,
    at: number,
  ): void {
    let mean = 0;
    for (let j = 0; j < this.size; j++) if (this.#q[j]! > 0) mean += this.#q[j]! * this.#logits[j]!;
    for (let j = 0; j < this.size; j++) {
      if (this.#allowed[j] === 0) continue;
      const [p, q, x] = [this.#p[j]!, this.#q[j]!, this.#logits[j]!];
      // dH/dℓ = −Cov ℓ, with Cov_jk = δ_jk q_j (1 − p_j) − q_j (q_k − p_k).
      const covariance = q === 0 ? 0 : q * (1 - p) * x - (q - p) * mean;
      into[at + j]! += dLogProb * ((isSet(j) ? 1 : 0) - q) - dEntropy * covariance;
    }
  }

  /** Draws the bits into `bits` (0 or 1); takes 1 + `size` draws whatever is allowed. */
  draw(rng: Rng, bits: Uint8Array): void {
    let rest = rng.uniform();
    let logBefore = 0;
    let first = -1;
    for (let j = 0; j < this.size && rest >= 0; j++) {
      if (this.#allowed[j] === 0) continue;
      // Rounding at the end falls to the last bit that can be the first.
      if (this.#q[j]! > 0) first = j;
      rest -= this.#q[j]! * Math.exp(logBefore);
      logBefore -= softplus(this.#logits[j]!);
    }
    for (let j = 0; j < this.size; j++) {
      const isDrawn = rng.uniform() < this.#p[j]!;
      bits[j] = j === first || (j > first && isDrawn) ? 1 : 0;
    }
  }

  /** Sets the bits with a chance above ½, or the likeliest one alone (of equals the first). */
  mode(bits: Uint8Array): void {
    let best = -1;
    let count = 0;
    for (let j = 0; j < this.size; j++) {
      const isOpen = this.#allowed[j] !== 0;
      bits[j] = isOpen && this.#logits[j]! > 0 ? 1 : 0;
      count += bits[j]!;
      if (isOpen && (best < 0 || this.#logits[j]! > this.#logits[best]!)) best = j;
    }
    if (count === 0 && best >= 0) bits[best] = 1;
  }

  /** log Σ p, which is log Z where chances are so small that their products vanish. */
  #logSumOfChances(largest: number): number {
    let sum = 0;
    for (let j = 0; j < this.size; j++)
      if (this.#allowed[j] !== 0) sum += Math.exp(softplus(-largest) - softplus(-this.#logits[j]!));
    return Math.log(sum) - softplus(-largest);
  }
}

/** log(1 − eˢ) for s < 0 (Mächler 2012): each branch where it keeps its digits. */
function log1mExp(s: number): number {
  return s > -Math.LN2 ? Math.log(-Math.expm1(s)) : Math.log1p(-Math.exp(s));
}
