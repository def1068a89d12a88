import { FlowError } from "../errors.ts";

type Listener = (reason: FlowError) => void;

/**
 * A node of the cancellation tree: cancelling one cancels all below it. An AbortSignal is made only where one is asked
 * for, as a thousand branches would otherwise carry a thousand of them.
 */
export class Scope {
  readonly #parent: Scope | undefined;
  readonly #children = new Set<Scope>();
  readonly #listeners = new Set<Listener>();
  #reason: FlowError | undefined;
  #controller: AbortController | undefined;

  constructor(parent?: Scope) {
    this.#parent = parent;
    if (parent !== undefined) parent.#children.add(this);
    this.#reason = parent?.reason;
  }

  /** Why it was cancelled; undefined while it is not. */
  get reason(): FlowError | undefined {
    return this.#reason;
  }

  /** The same as an AbortSignal, for `fetch` and its kin. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** A scope below this one. Close it when its work is done. */
  child(): Scope {
    return new Scope(this);
  }

  /** Cancels this scope and all below; the first reason stays. */
  cancel(reason: FlowError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const listener of [...this.#listeners]) listener(reason);
    this.#listeners.clear();
    for (const child of [...this.#children]) child.cancel(reason);
  }

  /** Calls back on cancellation; returns what ends that. */
  onCancel(listener: Listener): () => void {
    if (this.#reason !== undefined) {
      listener(this.#reason);
      return () => undefined;
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @throws FlowError the reason, when cancelled */
  check(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** The promise, or a rejection with the reason as soon as this scope is cancelled. */
  race<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const dispose = this.onCancel(reject);
      work.then(
        (value) => {
          dispose();
          resolve(value);
        },
        (error: unknown) => {
          dispose();
          reject(error);
        },
      );
    });
  }

  /** Detaches from the parent, so that finished work is not kept. */
  close(): void {
    if (this.#parent !== undefined) this.#parent.#children.delete(this);
    this.#listeners.clear();
  }
}

/** A scope that is cancelled with an AbortSignal. */
export function scopeOfSignal(signal: AbortSignal | undefined): Scope {
  const scope = new Scope();
  const cancel = (): void =>
    scope.cancel(
      signal?.reason instanceof FlowError
        ? signal.reason
        : new FlowError("E408", "cancelled", "The call was cancelled."),
    );
  if (signal?.aborted === true) cancel();
  else signal?.addEventListener("abort", cancel, { once: true });
  return scope;
}
