/**
 * Runs `work` for 0 … count − 1 with at most `limit` at the same time, started in order; resolves when all are done.
 * `first` names those that start before the others.
 */
export async function runPool(
  count: number,
  limit: number,
  work: (index: number) => Promise<void>,
  first: readonly number[] = [],
): Promise<void> {
  const isFirst = new Set(first);
  const order = [...first, ...Array.from({ length: count }, (_, i) => i).filter((i) => !isFirst.has(i))];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < order.length) await work(order[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(limit, order.length) }, worker));
}
