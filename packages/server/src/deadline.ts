import type { PraxisError, StepRequest } from "@praxis/env";

/** A step request that makes its abort signal only for an environment that looks at it: most are synchronous. */
export class Deadline implements StepRequest {
  #controller: AbortController | null = null;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  abort(reason: PraxisError): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }
}
