/** Value after `hours` of a first-order approach from `from` to `steady`. @param rate 1/h */
export function approach(from: number, steady: number, rate: number, hours: number): number {
  return steady + (from - steady) * Math.exp(-rate * hours);
}
