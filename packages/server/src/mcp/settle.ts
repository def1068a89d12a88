import type { MaybePromise } from "@praxis/env";

/**
 * Runs an operation that answers at once or with a promise and turns its value or its error into a result, without a promise
 * where the operation needs none. What `keep` or `refuse` throws goes to the caller the same way.
 */
export function settle<T, R>(
  operation: () => MaybePromise<T>,
  keep: (value: T) => R,
  refuse: (error: unknown) => R,
): MaybePromise<R> {
  let value: MaybePromise<T>;
  try {
    value = operation();
  } catch (error) {
    return refuse(error);
  }
  return value instanceof Promise ? value.then(keep, refuse) : keep(value);
}
