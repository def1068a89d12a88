import {
  type EnvDefinition,
  type Policy,
  PraxisError,
  Rng,
  recordEpisode,
  type SyncEnv,
  type Trace,
  toPraxisError,
} from "@praxis/env";

/** What to run: one episode per seed, options the same for all. */
export interface EpisodesRequest {
  readonly definition: EnvDefinition;
  readonly policy: Policy;
  readonly seeds: readonly number[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly onEpisode?: (done: number, total: number) => void;
}

/** One finished episode, or the failure that ended it; a failure is counted, never scored. */
export type EpisodeOutcome =
  | { readonly seed: number; readonly ok: true; readonly trace: Trace }
  | { readonly seed: number; readonly ok: false; readonly error: PraxisError };

/** True for environments that answer without a promise. */
function isSync(env: ReturnType<EnvDefinition["makeEnv"]>): env is SyncEnv {
  return !(env.reset({ seed: 0 }) instanceof Promise);
}

/** A synchronous instance of an environment. Throws NOT_SUPPORTED for one whose calls return promises. */
export function makeSyncEnv(definition: EnvDefinition): SyncEnv {
  const env = definition.makeEnv();
  if (!isSync(env))
    throw new PraxisError(
      "NOT_SUPPORTED",
      `'${definition.id}' answers asynchronously; this command needs one that answers at once.`,
    );
  return env;
}

/** Runs the episodes in the order of the seeds in one environment. The policy's stream depends on seed and policy name only. */
export async function runEpisodes(request: EpisodesRequest): Promise<EpisodeOutcome[]> {
  const { definition, policy, seeds, options = {} } = request;
  const env = makeSyncEnv(definition);
  const outcomes: EpisodeOutcome[] = [];
  try {
    for (const seed of seeds) {
      try {
        const trace = await recordEpisode(
          definition,
          env,
          policy,
          { seed, options },
          { rng: Rng.fromSeed(seed, `policy/${policy.name}`) },
        );
        outcomes.push({ seed, ok: true, trace });
      } catch (error) {
        outcomes.push({ seed, ok: false, error: toPraxisError(error) });
      }
      request.onEpisode?.(outcomes.length, seeds.length);
    }
  } finally {
    env.close();
  }
  return outcomes;
}
