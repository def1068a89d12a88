import type {
  Env,
  EnvDefinition,
  EnvSnapshot,
  EnvState,
  ResetRequest,
  ResetResult,
  StepRequest,
  StepResult,
  SyncEnv,
} from "@praxis/env";
import { PraxisError } from "@praxis/env";

/** Where one environment of a rollout stands. */
export interface SavedEnv {
  readonly snapshot: EnvSnapshot;
  /** What it returned last. */
  readonly last: ResetResult<unknown> | StepResult<unknown>;
}

/** An environment that can be put back into the middle of an episode under a vector environment that only knows `reset`. */
class ResumableEnv implements SyncEnv {
  readonly #env: Env;
  #last: ResetResult<unknown> | StepResult<unknown> | null = null;
  #resumed: SavedEnv["last"] | null = null;

  constructor(env: Env) {
    this.#env = env;
  }

  reset(request?: ResetRequest): ResetResult<unknown> {
    const resumed = this.#resumed;
    this.#resumed = null;
    this.#last = resumed ?? checkSync(this.#env.reset(request));
    return this.#last;
  }

  step(action: unknown, request?: StepRequest): StepResult<unknown> {
    const result = checkSync(this.#env.step(action, request));
    this.#last = result;
    return result;
  }

  state(): EnvState {
    return this.#env.state();
  }

  snapshot(): EnvSnapshot {
    return this.#env.snapshot();
  }

  restore(snapshot: EnvSnapshot): void {
    this.#env.restore(snapshot);
  }

  save(): SavedEnv {
    if (this.#last === null) throw new PraxisError("RESET_NEEDED", "The environment has not begun an episode to save.");
    return { snapshot: this.#env.snapshot(), last: this.#last };
  }

  /** The next `reset` returns where the saved episode stood instead of beginning another. */
  resume({ snapshot, last }: SavedEnv): void {
    this.#env.restore(snapshot);
    this.#resumed = last;
  }

  close(): void {
    checkSync(this.#env.close());
  }
}

function checkSync<T>(result: T | Promise<T>): T {
  if (!(result instanceof Promise)) return result;
  throw new PraxisError(
    "NOT_SUPPORTED",
    "The environment answers asynchronously; a trainer needs one that does not wait.",
  );
}

/** A definition whose environments, in the order they were made, can be saved and put back together. */
export class ResumableDefinition {
  readonly definition: EnvDefinition<unknown, unknown, EnvState, SyncEnv>;
  readonly #envs: ResumableEnv[] = [];

  constructor(definition: EnvDefinition) {
    // `tools` are typed by the environment they act on; rollouts use none.
    const { tools: _, ...rest } = definition;
    this.definition = {
      ...rest,
      makeEnv: (options) => {
        const env = new ResumableEnv(definition.makeEnv(options));
        this.#envs.push(env);
        return env;
      },
    };
  }

  save(): readonly SavedEnv[] {
    return this.#envs.map((env) => env.save());
  }

  /** Follow with a `reset` of the vector environment. Throws VALIDATION_ERROR when the numbers of environments differ. */
  resume(saved: readonly SavedEnv[]): void {
    if (saved.length !== this.#envs.length)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `The checkpoint holds ${saved.length} environments, this run has ${this.#envs.length}. Set numEnvs as it was.`,
      );
    this.#envs.forEach((env, i) => {
      env.resume(saved[i]!);
    });
  }
}
