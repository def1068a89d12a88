/** Two-compartment disposition as two independent first-order modes of the amount in the central compartment. */
export interface Modes {
  /** Rate constants, 1/h; alpha is the faster one. */
  readonly alpha: number;
  readonly beta: number;
  /** Share of an amount put into the central compartment that goes into the fast mode. */
  readonly fastShare: number;
  /** Peripheral amount per amount of each mode. */
  readonly peripheralPerFast: number;
  readonly peripheralPerSlow: number;
}

/** Modes of a two-compartment model (Gibaldi and Perrier 1982, chapter 2). Volumes in L, flows in L/h. */
export function modesOf(clearance: number, v1: number, flow: number, v2: number): Modes {
  const k10 = clearance / v1;
  const k12 = flow / v1;
  const k21 = flow / v2;
  const sum = k10 + k12 + k21;
  const root = Math.sqrt(sum * sum - 4 * k10 * k21);
  const alpha = (sum + root) / 2;
  const beta = (k10 * k21) / alpha;
  return {
    alpha,
    beta,
    fastShare: (alpha - k21) / (alpha - beta),
    peripheralPerFast: k12 / (k21 - alpha),
    peripheralPerSlow: k12 / (k21 - beta),
  };
}

/** Amount of the fast mode behind a central and a peripheral amount; the slow one holds the rest of the central amount. */
export function fastAmount(modes: Modes, central: number, peripheral: number): number {
  const { peripheralPerFast, peripheralPerSlow } = modes;
  return (peripheral - peripheralPerSlow * central) / (peripheralPerFast - peripheralPerSlow);
}
