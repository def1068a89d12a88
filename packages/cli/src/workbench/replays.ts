import {
  type EnvDefinition,
  type Policy,
  PraxisError,
  type ResetResult,
  Rng,
  type StepResult,
  type SyncEnv,
} from "@praxis/env";
import { makeSyncEnv } from "@praxis/eval";
import { z } from "zod";
import { loadNamedPolicy } from "../policies.ts";

/** An episode by what makes it: seed, options and the actions so far. */
export const episodeSchema = z.strictObject({
  seed: z.int().min(0).describe("seed of the reset"),
  episode_id: z.string().max(255).optional(),
  options: z.record(z.string(), z.unknown()).default({}).describe("reset options"),
  actions: z.array(z.record(z.string(), z.unknown())).max(20_000).default([]).describe("actions so far, in order"),
});

/** {@link episodeSchema} as a type. */
export type PlayedEpisode = z.infer<typeof episodeSchema>;

/** An episode played again in this process, as far as its actions go. */
export interface Replay {
  readonly env: SyncEnv;
  readonly last: ResetResult<unknown> | StepResult<unknown>;
  readonly policy: Policy | null;
  /** What the policy would do here; null without a policy or after the end. */
  readonly proposed: unknown;
}

interface Kept extends Replay {
  readonly key: string;
  readonly actions: readonly string[];
}

/** Episodes kept; a page asks for the next step of one that it has just asked for. */
const KEPT = 16;

/**
 * Plays episodes again from seed and actions, so that a policy can be asked about any step of any episode: nothing of a
 * session is read. An episode that goes on from one asked for before is continued instead of begun again.
 */
export class Replays {
  readonly #definition: EnvDefinition;
  #kept: Kept[] = [];

  constructor(definition: EnvDefinition) {
    this.#definition = definition;
  }

  /**
   * @param policyName that plays along and is asked at every step, as its memory needs; null = none
   * Throws UNKNOWN_NAME for an unknown policy, VALIDATION_ERROR for actions that do not fit, and what the environment throws.
   */
  async at(episode: PlayedEpisode, policyName: string | null): Promise<Replay> {
    const key = JSON.stringify([policyName, episode.seed, episode.episode_id ?? null, episode.options]);
    const actions = episode.actions.map((action) => JSON.stringify(action));
    const known = this.#kept.find(
      (each) =>
        each.key === key &&
        each.actions.length <= actions.length &&
        each.actions.every((text, i) => text === actions[i]),
    );
    if (known !== undefined) this.#kept = this.#kept.filter((each) => each !== known);
    let at: Kept = known ?? (await this.#begin(episode, policyName, key));
    for (let i = at.actions.length; i < actions.length; i++) at = await this.#step(at, episode.actions[i]!, i);
    this.#kept.push(at);
    if (this.#kept.length > KEPT) this.#kept.shift()?.env.close();
    return at;
  }

  async #begin(episode: PlayedEpisode, policyName: string | null, key: string): Promise<Kept> {
    const { seed, options, episode_id: episodeId } = episode;
    const env = makeSyncEnv(this.#definition);
    const last = env.reset({ seed, options, ...(episodeId === undefined ? {} : { episodeId }) });
    const policy = policyName === null ? null : await loadNamedPolicy(this.#definition, policyName, env);
    policy?.reset(Rng.fromSeed(seed, `policy/${policy.name}`));
    const proposed = policy === null ? null : await policy.act(last.observation, last.info);
    return { key, actions: [], env, last, policy, proposed };
  }

  async #step(at: Kept, action: Readonly<Record<string, unknown>>, index: number): Promise<Kept> {
    const parsed = this.#definition.schemas.action.safeParse(action);
    if (!parsed.success)
      throw new PraxisError("VALIDATION_ERROR", `actions.${index}: ${parsed.error.issues[0]!.message}.`);
    const last = at.env.step(parsed.data);
    const isOver = last.terminated || last.truncated;
    const proposed = at.policy === null || isOver ? null : await at.policy.act(last.observation, last.info);
    return { ...at, actions: [...at.actions, JSON.stringify(action)], last, proposed };
  }
}
