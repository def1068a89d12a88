/** What the exposure model says of the items of a regimen, by position. */
export interface ItemNumbers {
  /** c: weight of risk points, inhibition, induction and pair hits. */
  readonly carryOver: Float64Array;
  /** Exposure ratio. */
  readonly aucr: Float64Array;
  /** X: exposure over its reference. */
  readonly shift: Float64Array;
  /** phi: dose factor of the risk points. */
  readonly phi: Float64Array;
  /** Share of the effect that the exposure leaves. */
  readonly formed: Float64Array;
}

/** Numbers of up to `count` items, all 0. */
export function makeItemNumbers(count: number): ItemNumbers {
  return {
    carryOver: new Float64Array(count),
    aucr: new Float64Array(count),
    shift: new Float64Array(count),
    phi: new Float64Array(count),
    formed: new Float64Array(count),
  };
}
