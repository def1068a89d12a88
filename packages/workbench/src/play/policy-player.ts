import type { RemoteServer } from "@praxis/env/remote";
import type { Beginning, Said, WireObject } from "./branch.ts";
import { pickRandomly } from "./random-choice.ts";

/** Plays without the server: one of the offered legal actions, or an action made from the schema. */
export const PAGE_POLICY = "random, in this page";

/** What a policy would do. */
export interface Advice {
  readonly action: WireObject;
  readonly said: readonly Said[];
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

/** Names of the policies that play an environment here; a server that names none leaves the page's own. */
export async function policiesOf(server: RemoteServer): Promise<readonly string[]> {
  try {
    const reply = (await server.service("/policies")) as { policies?: unknown };
    const names = Array.isArray(reply.policies) ? reply.policies.filter((name) => typeof name === "string") : [];
    return [...names, PAGE_POLICY];
  } catch {
    return [PAGE_POLICY];
  }
}

/** The action of the policy of that name. Throws what the server throws. */
export async function askPolicy(server: RemoteServer, policy: string, question: Question): Promise<Advice> {
  if (policy === PAGE_POLICY) return { action: pickRandomly(question), said: [] };
  const { seed, episodeId, options } = question.beginning;
  const reply = (await server.service("/policies/act", {
    policy,
    seed,
    ...(episodeId === null ? {} : { episode_id: episodeId }),
    options,
    actions: question.actions(),
  })) as { action: WireObject; transcript?: readonly Said[] };
  return { action: reply.action, said: reply.transcript ?? [] };
}
