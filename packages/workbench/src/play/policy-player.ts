import type { RemoteServer } from "@praxis/env/remote";
import type { Beginning, Odds, Said, WireObject } from "./branch.ts";
import { pickRandomly } from "./random-choice.ts";

/** Plays without the server: one of the offered legal actions, or an action made from the schema. */
export const PAGE_POLICY = "random, in this page";

/** What a policy would do. */
export interface Advice {
  readonly action: WireObject;
  readonly said: readonly Said[];
  readonly odds: Odds | null;
}

/** What a policy is asked about. */
export interface Question {
  readonly beginning: Beginning;
  /** Made only for a server: a long episode has thousands. */
  actions(): readonly WireObject[];
  readonly observation: WireObject;
  readonly info: WireObject;
  readonly actionSchema: WireObject;
  toAction(observation: WireObject, candidate: WireObject): WireObject;
}

/** Who can play an environment, by name. */
export interface Policies {
  readonly names: readonly string[];
  /** Those that read what the observation hides. */
  readonly oracles: ReadonlySet<string>;
}

/** The policies that play an environment here; a server that names none leaves the page's own. */
export async function policiesOf(server: RemoteServer): Promise<Policies> {
  const texts = (list: unknown): string[] =>
    Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
  try {
    const reply = (await server.service("/policies")) as { policies?: unknown; oracles?: unknown };
    return { names: [...texts(reply.policies), PAGE_POLICY], oracles: new Set(texts(reply.oracles)) };
  } catch {
    return { names: [PAGE_POLICY], oracles: new Set() };
  }
}

/** The action of the policy of that name. Throws what the server throws. */
export async function askPolicy(server: RemoteServer, policy: string, question: Question): Promise<Advice> {
  if (policy === PAGE_POLICY) return { action: pickRandomly(question), said: [], odds: null };
  const { seed, episodeId, options } = question.beginning;
  const reply = (await server.service("/policies/act", {
    policy,
    seed,
    ...(episodeId === null ? {} : { episode_id: episodeId }),
    options,
    actions: question.actions(),
  })) as { action: WireObject; transcript?: readonly Said[]; odds?: Odds | null };
  return { action: reply.action, said: reply.transcript ?? [], odds: reply.odds ?? null };
}
