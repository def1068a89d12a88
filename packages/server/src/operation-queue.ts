import type { MaybePromise } from "@praxis/env";

/**
 * Operations one at a time, in the order they were asked for. One that answers at once needs no promise; one that does not
 * calls {@link OperationQueue.hold} and, when it is over, {@link OperationQueue.release}.
 */
export class OperationQueue {
  #isHeld = false;
  #waiting: (() => void)[] | null = null;

  /** Whether an operation is under way. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Runs the operation now, or once those before it are over; then what it throws is a rejection. */
  run<T>(operation: () => MaybePromise<T>): MaybePromise<T> {
    return this.#isHeld ? this.#later(operation) : operation();
  }

  /** Further operations wait from now on. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Runs what waits, until one of them holds the queue again. */
  release(): void {
    this.#isHeld = false;
    while (!this.#isHeld) {
      const job = this.#waiting?.shift();
      if (job === undefined) return;
      job();
    }
  }

  #later<T>(operation: () => MaybePromise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting ??= [];
      this.#waiting.push(() => {
        try {
          resolve(operation());
        } catch (error) {
          reject(error);
        }
      });
    });
  }
}
