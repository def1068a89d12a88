import type { Env, EnvDefinition, ResetRequest, ResetResult, StepResult } from "../env.ts";
import { PraxisError } from "../errors.ts";
import { canonicalJson } from "../hash.ts";
import { Rng } from "../rng.ts";

/** What every check gets. */
export interface CheckContext {
  readonly definition: EnvDefinition;
  readonly seed: number;
  /** Steps that a check plays at most, where it needs no end of an episode. */
  readonly steps: number;
  /** Steps within which an episode is expected to end. */
  readonly endSteps: number;
}

/** One rule of the contract. */
export interface Check {
  readonly name: string;
  /** The rule as a sentence. */
  readonly rule: string;
  /** Checks without which this one could not be judged. */
  readonly needs?: readonly string[];
  /** What is wrong, or null. An error thrown counts as wrong. */
  run(context: CheckContext): Promise<string | null> | string | null;
}

/** Plays one environment and writes down each result as canonical JSON at once, before anything can change it. */
export class Player {
  readonly env: Env;
  /** The results in order, a reset first. */
  readonly texts: string[] = [];
  /** The actions in order. */
  readonly actions: unknown[] = [];
  readonly #definition: EnvDefinition;
  readonly #rng: Rng;
  #last: ResetResult<unknown> | StepResult<unknown> | null = null;

  constructor({ definition, seed }: CheckContext, env: Env) {
    this.env = env;
    this.#definition = definition;
    this.#rng = Rng.fromSeed(seed, "check-actions");
  }

  /** Last result of reset or step. */
  get last(): ResetResult<unknown> | StepResult<unknown> {
    if (this.#last === null) throw new PraxisError("RESET_NEEDED", "The player has not begun an episode.");
    return this.#last;
  }

  get isEnded(): boolean {
    const { last } = this;
    return "reward" in last && Boolean(last.terminated || last.truncated);
  }

  async reset(request?: ResetRequest): Promise<ResetResult<unknown>> {
    const result = await this.env.reset(request);
    this.#note(result);
    return result;
  }

  sample(): unknown {
    return this.#definition.sampleAction(this.#rng, this.last);
  }

  /** Steps with a copy of the action, so that an environment that changes it does no harm here. */
  async step(action: unknown = this.sample()): Promise<StepResult<unknown>> {
    this.actions.push(structuredClone(action));
    const result = await this.env.step(structuredClone(action));
    this.#note(result);
    return result;
  }

  /** Steps until the end or for `steps`; `visit` sees each result. */
  async play(steps: number, visit?: (result: StepResult<unknown>, step: number) => void): Promise<this> {
    for (let i = 0; i < steps && !this.isEnded; i++) {
      const result = await this.step();
      visit?.(result, i + 1);
    }
    return this;
  }

  /** Steps through given actions. */
  async playScript(actions: readonly unknown[]): Promise<this> {
    for (const action of actions) await this.step(action);
    return this;
  }

  #note(result: ResetResult<unknown> | StepResult<unknown>): void {
    this.#last = result;
    this.texts.push(canonicalJson(result));
  }
}

/** Runs `work` with fresh players, one per environment, and closes the environments whatever happens. */
export async function withPlayers<T>(
  context: CheckContext,
  count: number,
  work: (players: readonly Player[]) => Promise<T>,
): Promise<T> {
  const envs: Env[] = [];
  try {
    for (let i = 0; i < count; i++) envs.push(context.definition.makeEnv());
    return await work(envs.map((env) => new Player(context, env)));
  } finally {
    for (const env of envs) await env.close();
  }
}

/** {@link withPlayers} for one. */
export async function withPlayer<T>(context: CheckContext, work: (player: Player) => Promise<T>): Promise<T> {
  return withPlayers(context, 1, ([player]) => work(player!));
}

/** A played episode: what a check compares with. */
export async function playReference(
  context: CheckContext,
  request: ResetRequest = { seed: context.seed },
): Promise<{ readonly texts: readonly string[]; readonly actions: readonly unknown[] }> {
  return withPlayer(context, async (player) => {
    await player.reset(request);
    const { texts, actions } = await player.play(context.steps);
    return { texts, actions };
  });
}

/** Path of the first place where two JSON values differ, and what stands there. */
function difference(a: unknown, b: unknown, path: string): string | null {
  const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === "object" && value !== null;
  if (!isRecord(a) || !isRecord(b)) return a === b ? null : `${path}: ${show(b)} instead of ${show(a)}`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = difference(a[key], b[key], path === "" ? key : `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

/** Where two lists of results first differ: `step 3, reward: 1 instead of 0`; null if they are equal. */
export function firstDifference(expected: readonly string[], seen: readonly string[]): string | null {
  for (let i = 0; i < Math.max(expected.length, seen.length); i++) {
    if (expected[i] === seen[i]) continue;
    const where = i === 0 ? "reset" : `step ${i}`;
    if (expected[i] === undefined || seen[i] === undefined) return `${where} is ${seen[i] ? "too many" : "missing"}`;
    return `${where}, ${difference(JSON.parse(expected[i]!), JSON.parse(seen[i]!), "")}`;
  }
  return null;
}

/** A value as short text for messages. */
export function show(value: unknown): string {
  const text = typeof value === "number" ? String(value) : canonicalJson(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Code and message of what `call` throws, or null if it returns. */
export async function errorOf(
  call: () => unknown,
): Promise<{ readonly code: string | null; readonly message: string } | null> {
  try {
    await call();
    return null;
  } catch (error) {
    return {
      code: error instanceof PraxisError ? error.code : null,
      message: error instanceof Error ? error.message : String(error),
    };
  }
}
