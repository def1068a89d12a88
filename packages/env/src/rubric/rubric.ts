import type { z } from "zod";
import type { MaybePromise } from "../env.ts";
import { PraxisError } from "../errors.ts";
import { didYouMean } from "../names.ts";

/** A score with what it is made of: `total` is exactly the sum of `components[name] * weights[name]`, in order. */
export interface RubricResult {
  readonly components: Readonly<Record<string, number>>;
  readonly weights: Readonly<Record<string, number>>;
  readonly total: number;
}

/** What the score function of a rubric gets beside the transition. */
export interface RubricScope<T, Settings> {
  readonly children: Readonly<Record<string, Rubric<T>>>;
  readonly settings: Settings;
}

/** What a {@link Rubric} is made from. `T` is a transition, in OpenEnv's form `{ action, observation }`. */
export interface RubricBody<T, Settings = unknown> {
  /** Word for messages and saved configurations, e.g. `gate`. */
  readonly kind: string;
  /** Named parts; a name may not contain a dot. */
  readonly children?: Readonly<Record<string, Rubric<T>>>;
  /** Plain data that `saveConfig` writes; `schema` refuses what does not fit. */
  readonly settings?: { readonly value: Settings; readonly schema: z.ZodType<Settings> };
  score(transition: T, scope: RubricScope<T, Settings>): MaybePromise<number | RubricResult>;
  /** Forgets what was collected in the episode. */
  reset?(): void;
}

/** Called before a rubric scores. */
export type BeforeScore<T> = (rubric: Rubric<T>, transition: T) => void;
/** Called after a rubric scored. */
export type AfterScore<T> = (rubric: Rubric<T>, transition: T, result: RubricResult) => void;
/** Settings by dotted path; the path of the rubric itself is empty. Plain data. */
export type RubricConfig = Readonly<Record<string, unknown>>;

/** Goes on with a value now, or with a promise later: rubrics without asynchronous parts stay synchronous. */
export function whenScored<A, B>(value: MaybePromise<A>, next: (value: A) => B): MaybePromise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * Scores transitions, usually 0 … 1, alone or from named children. Synchronous if all its parts are. Throws NON_FINITE_NUMBER
 * for a score that is not finite; errors of its parts pass through, so that no failure looks like a low score.
 */
export class Rubric<T, Settings = unknown> {
  readonly kind: string;
  readonly children: Readonly<Record<string, Rubric<T>>>;
  readonly #body: RubricBody<T, Settings>;
  readonly #before = new Set<BeforeScore<T>>();
  readonly #after = new Set<AfterScore<T>>();
  #settings: Settings;
  #last: RubricResult | null = null;

  constructor(body: RubricBody<T, Settings>) {
    this.kind = body.kind;
    this.children = body.children ?? {};
    this.#body = body;
    for (const name of Object.keys(this.children))
      if (name === "" || name.includes("."))
        throw new PraxisError(
          "INVALID_CONFIG",
          `The child '${name}' of a ${body.kind} rubric needs a name without dots.`,
        );
    this.#settings = this.#checkSettings(body.settings?.value, "");
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** Total of the last score since the last reset, else null. */
  get lastScore(): number | null {
    return this.#last?.total ?? null;
  }

  /** The last score with its components, else null. */
  get lastResult(): RubricResult | null {
    return this.#last;
  }

  /** Score with named components; a rubric that only gives a number has one component, `score`, of weight 1. */
  evaluate(transition: T): MaybePromise<RubricResult> {
    for (const hook of this.#before) hook(this, transition);
    const scored = this.#body.score(transition, { children: this.children, settings: this.#settings });
    return whenScored(scored, (score) => {
      const result: RubricResult =
        typeof score === "number" ? { components: { score }, weights: { score: 1 }, total: score } : score;
      if (!Number.isFinite(result.total))
        throw new PraxisError("NON_FINITE_NUMBER", `A ${this.kind} rubric returned the score ${result.total}.`);
      this.#last = result;
      for (const hook of this.#after) hook(this, transition, result);
      return result;
    });
  }

  /** {@link Rubric.evaluate} for environments that never wait. Throws NOT_SUPPORTED if a part is asynchronous. */
  evaluateSync(transition: T): RubricResult {
    const result = this.evaluate(transition);
    if (!(result instanceof Promise)) return result;
    void Promise.allSettled([result]);
    throw new PraxisError("NOT_SUPPORTED", `A ${this.kind} rubric has an asynchronous part; await evaluate instead.`);
  }

  /** The total of {@link Rubric.evaluate}. */
  score(transition: T): MaybePromise<number> {
    return whenScored(this.evaluate(transition), (result) => result.total);
  }

  /** Adds a hook and returns what removes it. */
  beforeScore(hook: BeforeScore<T>): () => void {
    this.#before.add(hook);
    return () => this.#before.delete(hook);
  }

  /** Adds a hook and returns what removes it. */
  afterScore(hook: AfterScore<T>): () => void {
    this.#after.add(hook);
    return () => this.#after.delete(hook);
  }

  /** Descendant by dotted path, `safety.dose`; the empty path is this rubric. Throws UNKNOWN_NAME with the nearest path. */
  find(path: string): Rubric<T> {
    for (const [known, rubric] of this.named()) if (known === path) return rubric;
    const paths = this.named().flatMap(([known]) => (known === "" ? [] : [known]));
    throw new PraxisError("UNKNOWN_NAME", `Unknown rubric '${path}'.${didYouMean(path, paths)}`);
  }

  /** This rubric and all below it with their dotted paths, parents first. */
  named(prefix = ""): readonly (readonly [path: string, rubric: Rubric<T>])[] {
    const below = Object.entries(this.children).flatMap(([name, child]) =>
      child.named(prefix === "" ? name : `${prefix}.${name}`),
    );
    return [[prefix, this], ...below];
  }

  /** Clears scores and collected steps, here and below; to be called at the start of each episode. */
  reset(): void {
    for (const [, rubric] of this.named()) rubric.#clear();
  }

  /** Settings of this rubric and all below it that have any. */
  saveConfig(): RubricConfig {
    const config: Record<string, unknown> = {};
    for (const [path, rubric] of this.named()) if (rubric.#body.settings !== undefined) config[path] = rubric.settings;
    return config;
  }

  /** Puts saved settings back. Throws INVALID_CONFIG or UNKNOWN_NAME and changes nothing if any of them does not fit. */
  loadConfig(config: RubricConfig): void {
    const checked = Object.entries(config).map(([path, value]) => {
      const rubric = this.find(path);
      return { rubric, settings: rubric.#checkSettings(value, path) };
    });
    for (const { rubric, settings } of checked) rubric.#settings = settings;
  }

  #checkSettings(value: unknown, path: string): Settings {
    const schema = this.#body.settings?.schema;
    const where = path === "" ? `a ${this.kind} rubric` : `the ${this.kind} rubric '${path}'`;
    if (schema === undefined) {
      if (value === undefined) return undefined as Settings;
      throw new PraxisError("INVALID_CONFIG", `There are no settings for ${where}.`);
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0]!;
    const at = issue.path.length === 0 ? "" : ` in '${issue.path.join(".")}'`;
    throw new PraxisError("INVALID_CONFIG", `Settings of ${where}${at}: ${issue.message}`);
  }

  #clear(): void {
    this.#last = null;
    this.#body.reset?.();
  }
}

/** A rubric from one function. */
export function rubric<T>(score: (transition: T) => MaybePromise<number>, kind = "function"): Rubric<T> {
  return new Rubric<T>({ kind, score });
}

/** What {@link evaluateOrInfraError} gives: a result, or what to put into `info.infraError`. */
export type RubricOutcome =
  | { readonly result: RubricResult; readonly infraError: null }
  | { readonly result: null; readonly infraError: { readonly code: string; readonly message: string } };

/** Scores, and turns a failing judge or verifier (VERIFIER_ERROR) into data for `info.infraError`; other errors pass through. */
export async function evaluateOrInfraError<T>(rubric: Rubric<T>, transition: T): Promise<RubricOutcome> {
  try {
    return { result: await rubric.evaluate(transition), infraError: null };
  } catch (error) {
    if (error instanceof PraxisError && error.code === "VERIFIER_ERROR")
      return { result: null, infraError: { code: error.code, message: error.message } };
    throw error;
  }
}
