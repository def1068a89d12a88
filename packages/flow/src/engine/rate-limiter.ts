import type { RateLimitPlan } from "../config/plan.ts";
import type { Clock } from "./clock.ts";
import type { Scope } from "./scope.ts";

interface Waiting {
  readonly tokens: number;
  readonly admit: () => void;
}

/**
 * Limits of one provider: token buckets for requests and for tokens a minute, and a number of calls at the same time.
 * First come, first served; a wait ends with its scope.
 */
export class RateLimiter {
  readonly #limits: RateLimitPlan;
  readonly #clock: Clock;
  readonly #root: Scope;
  #requests: number;
  #tokens: number;
  #filledAt: number;
  #active = 0;
  #queue: Waiting[] = [];
  #timer: Scope | undefined;

  /** @param root scope of the run; timers end with it */
  constructor(limits: RateLimitPlan, clock: Clock, root: Scope) {
    this.#limits = limits;
    this.#clock = clock;
    this.#root = root;
    this.#requests = limits.requestsPerMinute ?? 0;
    this.#tokens = limits.tokensPerMinute ?? 0;
    this.#filledAt = clock.now();
  }

  /**
   * Waits for a place. The returned function gives it back.
   *
   * @param tokens worst case of the call; more than a minute's worth counts as a full minute
   */
  async acquire(tokens: number, scope: Scope, onWait: (ms: number) => void): Promise<() => void> {
    scope.check();
    const began = this.#clock.now();
    this.#refill();
    if (this.#queue.length === 0 && this.#fits(tokens)) this.#take(tokens);
    else {
      await new Promise<void>((resolve, reject) => {
        const waiting: Waiting = {
          tokens,
          admit: () => {
            dispose();
            resolve();
          },
        };
        const dispose = scope.onCancel((reason) => {
          this.#queue = this.#queue.filter((other) => other !== waiting);
          reject(reason);
          this.#serve();
        });
        this.#queue.push(waiting);
        this.#serve();
      });
      onWait(this.#clock.now() - began);
    }
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      this.#active--;
      this.#serve();
    };
  }

  #refill(): void {
    const now = this.#clock.now();
    const minutes = (now - this.#filledAt) / 60_000;
    this.#filledAt = now;
    const { requestsPerMinute, tokensPerMinute } = this.#limits;
    if (requestsPerMinute !== undefined)
      this.#requests = Math.min(requestsPerMinute, this.#requests + minutes * requestsPerMinute);
    if (tokensPerMinute !== undefined)
      this.#tokens = Math.min(tokensPerMinute, this.#tokens + minutes * tokensPerMinute);
  }

  #fits(tokens: number): boolean {
    return (
      (this.#limits.maxConcurrency === undefined || this.#active < this.#limits.maxConcurrency) &&
      this.#waitFor(tokens) === 0
    );
  }

  /** Ms until the buckets hold enough. */
  #waitFor(tokens: number): number {
    const { requestsPerMinute, tokensPerMinute } = this.#limits;
    let wait = 0;
    // A hair of slack: refilling in floating point ends just below whole numbers.
    if (requestsPerMinute !== undefined && this.#requests < 1 - 1e-9)
      wait = Math.max(wait, ((1 - this.#requests) / requestsPerMinute) * 60_000);
    if (tokensPerMinute !== undefined) {
      const wanted = Math.min(tokens, tokensPerMinute);
      if (this.#tokens < wanted - 1e-9) wait = Math.max(wait, ((wanted - this.#tokens) / tokensPerMinute) * 60_000);
    }
    return wait === 0 ? 0 : Math.max(1, Math.ceil(wait));
  }

  #take(tokens: number): void {
    this.#active++;
    if (this.#limits.requestsPerMinute !== undefined) this.#requests -= 1;
    if (this.#limits.tokensPerMinute !== undefined) this.#tokens -= Math.min(tokens, this.#limits.tokensPerMinute);
  }

  #serve(): void {
    this.#refill();
    while (this.#queue.length > 0 && this.#fits(this.#queue[0]!.tokens)) {
      const next = this.#queue.shift()!;
      this.#take(next.tokens);
      next.admit();
    }
    const first = this.#queue[0];
    const full = this.#limits.maxConcurrency !== undefined && this.#active >= this.#limits.maxConcurrency;
    if (first === undefined || full || this.#timer !== undefined || this.#root.reason !== undefined) return;
    const timer = this.#root.child();
    this.#timer = timer;
    const done = (): void => {
      this.#timer = undefined;
      timer.close();
    };
    this.#clock.sleep(this.#waitFor(first.tokens), timer).then(
      () => {
        done();
        this.#serve();
      },
      // Cancelled with the run: nobody is left to serve.
      done,
    );
  }
}
