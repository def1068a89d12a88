/** Of the full numbers; `PRAXIS_BENCH_SHARE=0.05` plays a twentieth, to show that a benchmark runs. */
export const SHARE = Number(process.env.PRAXIS_BENCH_SHARE ?? "1");

/** A full number as the share wants it. @param least what it is at the least */
export function scaled(n: number, least = 2): number {
  return Math.max(least, Math.round(n * SHARE));
}
