import type { BudgetPlan } from "../config/plan.ts";
import { FlowError } from "../errors.ts";
import type { Scope } from "./scope.ts";
import { type CallUsage, NO_USAGE, type Usage } from "./usage.ts";

/** The most that a call can come to. */
export interface Worst {
  readonly tokens: number;
  /** 0 where no price is known. */
  readonly costUsd: number;
}

/** What is told about budgets. */
export interface BudgetNotice {
  readonly path: string;
  readonly which: "tokens" | "cost_usd" | "llm_calls" | "tool_calls" | "wall_ms";
  readonly used: number;
  readonly limit: number;
}

interface Waiter {
  readonly chain: readonly Ledger[];
  readonly worst: Worst;
  readonly admit: () => void;
  readonly refuse: (error: FlowError) => void;
}

interface Shared {
  waiters: Waiter[];
  readonly onWarn: (notice: BudgetNotice) => void;
  readonly onExceeded: (notice: BudgetNotice) => void;
}

/** Room kept for one call; settle it with what the call really used. */
export interface Reservation {
  settle(usage: CallUsage, costUsd: number | null, overhead: boolean): void;
  /** The call failed: nothing is counted. */
  release(): void;
}

// Dollars are counted in units of 10^-9, as whole numbers: sums then do not depend on the order of branches.
const NANO = 1_000_000_000;

/**
 * Usage of one step, agent or run, and its limits. Calls reserve their worst case here and at every ancestor before
 * they are made, so that branches at the same time can't overshoot together; what they really used is counted once at
 * every ancestor. One thread runs all of this, which is the one lock.
 */
export class Ledger {
  readonly path: string;
  readonly budget: BudgetPlan | undefined;
  readonly #parent: Ledger | undefined;
  readonly #shared: Shared;
  readonly #warned = new Set<string>();
  #usage: { -readonly [K in keyof Usage]: Usage[K] } = { ...NO_USAGE };
  #nanoUsd = 0;
  #costKnown = true;
  #reservedTokens = 0;
  #reservedNanoUsd = 0;
  #reservedCalls = 0;
  #finalizing = false;

  private constructor(path: string, budget: BudgetPlan | undefined, parent: Ledger | undefined, shared: Shared) {
    this.path = path;
    this.budget = budget;
    this.#parent = parent;
    this.#shared = shared;
  }

  /** The ledger of a run. */
  static root(budget: BudgetPlan | undefined, listeners: Pick<Shared, "onWarn" | "onExceeded">): Ledger {
    return new Ledger("", budget, undefined, { waiters: [], ...listeners });
  }

  /** The ledger of a part. */
  child(path: string, budget?: BudgetPlan): Ledger {
    return new Ledger(path, budget, this, this.#shared);
  }

  /** What was used so far, by this part and all within it. */
  get usage(): Usage {
    return { ...this.#usage };
  }

  /** USD so far; null when a call had no price. */
  get costUsd(): number | null {
    return this.#costKnown ? this.#nanoUsd / NANO : null;
  }

  /** Tokens that a call may still take here and above; Infinity without limit. */
  get tokensLeft(): number {
    let left = Number.POSITIVE_INFINITY;
    for (const node of this.#chain())
      if (node.budget?.maxTokens !== undefined) left = Math.min(left, node.#tokenLimit() - node.#tokens());
    return left;
  }

  /** Counts what an earlier part of a resumed run used; no limit is checked. */
  restore(usage: CallUsage, costUsd: number | null, overhead: boolean): void {
    this.#count(usage, costUsd, overhead);
  }

  /** Restores one tool call of an earlier part. */
  restoreTool(): void {
    this.#usage.toolCalls++;
  }

  /** From now on the tokens kept back for the closing answer may be used. */
  beginFinalize(): void {
    this.#finalizing = true;
  }

  /** Keeps room for a call if there is any now; undefined when it has to wait. @throws FlowError E407 as {@link reserve} */
  reserveNow(worst: Worst, scope: Scope): Reservation | undefined {
    const chain = this.#chain();
    scope.check();
    const refused = firstRefusal(chain, worst);
    if (refused !== undefined) throw this.#exceeded(refused, worst);
    if (!fitsNow(chain, worst)) return undefined;
    take(chain, worst, 1);
    return this.#reservation(chain, worst);
  }

  /**
   * Keeps room for a call. Waits while other calls in flight might leave room; refuses when even their settling can't.
   *
   * @throws FlowError E407 when a limit leaves no room
   */
  async reserve(worst: Worst, scope: Scope): Promise<Reservation> {
    const free = this.reserveNow(worst, scope);
    if (free !== undefined) return free;
    const chain = this.#chain();
    await new Promise<void>((resolve, reject) => {
      const dispose = scope.onCancel((reason) => {
        this.#shared.waiters = this.#shared.waiters.filter((other) => other !== waiter);
        reject(reason);
      });
      const waiter: Waiter = {
        chain,
        worst,
        admit: () => {
          dispose();
          resolve();
        },
        refuse: (error) => {
          dispose();
          reject(error);
        },
      };
      this.#shared.waiters.push(waiter);
    });
    return this.#reservation(chain, worst);
  }

  /** What gives room that was taken back, once. */
  #reservation(chain: readonly Ledger[], worst: Worst): Reservation {
    let open = true;
    const close = (): boolean => {
      if (!open) return false;
      open = false;
      take(chain, worst, -1);
      return true;
    };
    return {
      settle: (usage, costUsd, overhead) => {
        if (!close()) return;
        for (const node of chain) node.#count(usage, costUsd, overhead);
        for (const node of chain) node.#warn();
        this.#serveWaiters();
      },
      release: () => {
        if (close()) this.#serveWaiters();
      },
    };
  }

  /** Counts a tool call. @throws FlowError E407 when a limit leaves no room */
  countTool(): void {
    const chain = this.#chain();
    for (const node of chain) {
      const limit = node.budget?.maxToolCalls;
      if (limit !== undefined && node.#usage.toolCalls + 1 > limit)
        throw this.#exceeded({
          ledger: node,
          notice: { path: node.path, which: "tool_calls", used: node.#usage.toolCalls, limit },
        });
    }
    for (const node of chain) node.#usage.toolCalls++;
  }

  #chain(): Ledger[] {
    const chain: Ledger[] = [];
    for (let node: Ledger | undefined = this; node !== undefined; node = node.#parent) chain.push(node);
    return chain;
  }

  #tokens(): number {
    return this.#usage.inputTokens + this.#usage.outputTokens;
  }

  /** The limit for ordinary calls: what the closing answer needs is kept back. */
  #tokenLimit(): number {
    const { budget } = this;
    if (budget?.maxTokens === undefined) return Number.POSITIVE_INFINITY;
    return budget.maxTokens - (this.#finalizing ? 0 : finalizeReserve(budget));
  }

  #count(usage: CallUsage, costUsd: number | null, overhead: boolean): void {
    this.#usage.inputTokens += usage.inputTokens;
    this.#usage.outputTokens += usage.outputTokens;
    this.#usage.cachedTokens += usage.cachedTokens;
    this.#usage.llmCalls++;
    if (overhead) this.#usage.overheadTokens += usage.inputTokens + usage.outputTokens;
    if (costUsd === null) this.#costKnown = false;
    else this.#nanoUsd += Math.round(costUsd * NANO);
  }

  #warn(): void {
    const { budget } = this;
    if (budget === undefined) return;
    const lines: readonly (readonly [BudgetNotice["which"], number, number | undefined])[] = [
      ["tokens", this.#tokens(), budget.maxTokens],
      ["cost_usd", this.#nanoUsd / NANO, budget.maxCostUsd],
      ["llm_calls", this.#usage.llmCalls, budget.maxLlmCalls],
    ];
    for (const [which, used, limit] of lines) {
      if (limit === undefined || used < limit * budget.warnAt || this.#warned.has(which)) continue;
      this.#warned.add(which);
      this.#shared.onWarn({ path: this.path, which, used, limit });
    }
  }

  #exceeded(refusal: Refusal, worst?: Worst): FlowError {
    const { ledger, notice } = refusal;
    this.#shared.onExceeded(notice);
    const where = notice.path === "" ? "the run" : `'${notice.path}'`;
    const need =
      worst === undefined || notice.which !== "tokens"
        ? ""
        : ` The call may need up to ${worst.tokens} (prompt and max_tokens together).`;
    return new BudgetError(
      ledger,
      notice,
      `The budget of ${where} leaves no room for the next call: ${notice.which} ${notice.used} of ${notice.limit} are used.${need}`,
    );
  }

  /** Whether `other` is this ledger or one above it. */
  isWithin(other: Ledger): boolean {
    return this.#chain().includes(other);
  }

  #serveWaiters(): void {
    const waiting = this.#shared.waiters;
    if (waiting.length === 0) return;
    this.#shared.waiters = [];
    for (const waiter of waiting) {
      const refused = firstRefusal(waiter.chain, waiter.worst);
      if (refused !== undefined) waiter.refuse(this.#exceeded(refused, waiter.worst));
      else if (fitsNow(waiter.chain, waiter.worst)) {
        take(waiter.chain, waiter.worst, 1);
        waiter.admit();
      } else this.#shared.waiters.push(waiter);
    }
  }

  /** @internal for the functions below: whether used alone, or used and reserved, leaves room. */
  static room(node: Ledger, worst: Worst, withReserved: boolean): BudgetNotice | undefined {
    const { budget } = node;
    if (budget === undefined) return undefined;
    const more = withReserved ? 1 : 0;
    const tokens = node.#tokens() + more * node.#reservedTokens;
    if (budget.maxTokens !== undefined && tokens + worst.tokens > node.#tokenLimit())
      return { path: node.path, which: "tokens", used: node.#tokens(), limit: budget.maxTokens };
    const nano = node.#nanoUsd + more * node.#reservedNanoUsd;
    if (budget.maxCostUsd !== undefined && nano + Math.ceil(worst.costUsd * NANO) > budget.maxCostUsd * NANO)
      return { path: node.path, which: "cost_usd", used: node.#nanoUsd / NANO, limit: budget.maxCostUsd };
    const calls = node.#usage.llmCalls + more * node.#reservedCalls;
    if (budget.maxLlmCalls !== undefined && calls + 1 > budget.maxLlmCalls)
      return { path: node.path, which: "llm_calls", used: node.#usage.llmCalls, limit: budget.maxLlmCalls };
    return undefined;
  }

  /** @internal */
  static hold(node: Ledger, worst: Worst, sign: 1 | -1): void {
    node.#reservedTokens += sign * worst.tokens;
    node.#reservedNanoUsd += sign * Math.ceil(worst.costUsd * NANO);
    node.#reservedCalls += sign;
  }
}

/** A budget that left no room; says whose. */
export class BudgetError extends FlowError {
  readonly notice: BudgetNotice;
  readonly ledger: Ledger;
  constructor(ledger: Ledger, notice: BudgetNotice, message: string) {
    super("E407", "budget", message);
    this.ledger = ledger;
    this.notice = notice;
  }
}

/** Tokens kept back for the closing answer. assumption: at most a quarter of the budget, as 2,000 may exceed a small one. */
export function finalizeReserve(budget: BudgetPlan): number {
  if (budget.onExceeded !== "finalize" || budget.maxTokens === undefined) return 0;
  return Math.min(budget.finalizeTokens, Math.floor(budget.maxTokens / 4));
}

interface Refusal {
  readonly ledger: Ledger;
  readonly notice: BudgetNotice;
}

/** The outermost ledger without room: its budget is the one that ends the work. */
function firstRefusal(chain: readonly Ledger[], worst: Worst): Refusal | undefined {
  for (const ledger of [...chain].reverse()) {
    const notice = Ledger.room(ledger, worst, false);
    if (notice !== undefined) return { ledger, notice };
  }
  return undefined;
}

function fitsNow(chain: readonly Ledger[], worst: Worst): boolean {
  return chain.every((node) => Ledger.room(node, worst, true) === undefined);
}

function take(chain: readonly Ledger[], worst: Worst, sign: 1 | -1): void {
  for (const node of chain) Ledger.hold(node, worst, sign);
}
