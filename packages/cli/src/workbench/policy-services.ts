import { type EnvDefinition, type EnvService, PraxisError } from "@praxis/env";
import {
  candidateValues,
  hasTranscript,
  levelOutlook,
  loadBundledKnowledgeBase,
  type Observation,
} from "@praxis/polyguard";
import { describeSituation, revealTruth } from "@praxis/spindleflow";
import { RecordedPlayer } from "@praxis/train";
import { z } from "zod";
import { oracleNames, policyNames } from "../policies.ts";
import { episodeSchema, Replays } from "./replays.ts";

const askSchema = episodeSchema.extend({ policy: z.string().describe("name of the policy asked") });

/** The JSON body of a service. Throws VALIDATION_ERROR naming the field. */
function parseBody<T>(schema: z.ZodType<T>, body: string): T {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new PraxisError("INVALID_JSON", "The body is not JSON.", { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new PraxisError("VALIDATION_ERROR", `Field '${issue.path.join(".")}': ${issue.message}.`, {
    fields: [{ type: "value_error", loc: issue.path.map(String), msg: issue.message }],
  });
}

/**
 * A definition whose server also names the policies that play it and tells what one of them would do: `GET /policies` and
 * `POST /policies/act`; for PolyGuard `POST /candidates` with what the simulator expects of each; for SpindleFlow
 * `POST /situation` and, after the end, `POST /truth`. They read the true state where a policy does, and so are for servers that trainers and people use, not agents.
 */
export function withPolicyServices(definition: EnvDefinition): EnvDefinition {
  const replays = new Replays(definition);
  const services: EnvService[] = [
    {
      method: "GET",
      path: "/policies",
      description: "Names of the policies that can play this environment, and which of them read what is hidden.",
      call: () => ({ policies: policyNames(definition), oracles: oracleNames(definition) }),
    },
    {
      method: "POST",
      path: "/policies/act",
      description: "The action that a policy takes after the given seed, options and actions.",
      async call(body) {
        const { policy: name, ...episode } = parseBody(askSchema, body);
        const { last, proposed, policy } = await replays.at(episode, name);
        if ("terminated" in last && (last.terminated || last.truncated))
          throw new PraxisError("RESET_NEEDED", "The episode is over; no policy acts any more.");
        const transcript = policy !== null && hasTranscript(policy) ? policy.transcript() : [];
        // A learned policy also tells how likely it found each choice.
        const odds = policy instanceof RecordedPlayer ? (policy.last?.odds ?? null) : null;
        return { policy: name, action: proposed, transcript, odds };
      },
    },
  ];
  if (definition.name === "polyguard")
    services.push({
      method: "POST",
      path: "/levels",
      description:
        "Expected level of each day with a 90 % interval, by the dosing model on what was observed; null without one.",
      async call(body) {
        const { last } = await replays.at(parseBody(episodeSchema, body), null);
        return { days: levelOutlook(loadBundledKnowledgeBase(), last.observation as Observation) };
      },
    });
  if (definition.name === "polyguard")
    services.push({
      method: "POST",
      path: "/candidates",
      description: "Expected harm, benefit, burden and legality of each offered candidate, on the true state.",
      async call(body) {
        const { env } = await replays.at(parseBody(episodeSchema, body), null);
        return { candidates: candidateValues(env) };
      },
    });
  if (definition.name === "spindleflow")
    services.push(
      {
        method: "POST",
        path: "/situation",
        description: "Where the task in hand stands and what each text says: public facts only, nothing hidden.",
        async call(body) {
          const { env } = await replays.at(parseBody(episodeSchema, body), null);
          return { situation: describeSituation(env) };
        },
      },
      {
        method: "POST",
        path: "/truth",
        description: "What had been hidden of tasks and people; refused before the shift has ended.",
        async call(body) {
          const { env } = await replays.at(parseBody(episodeSchema, body), null);
          return { truth: revealTruth(env) };
        },
      },
    );
  return { ...definition, services: [...(definition.services ?? []), ...services] };
}
