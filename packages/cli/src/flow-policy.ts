import { type EnvDefinition, type Info, type Policy, PraxisError, type Rng } from "@praxis/env";
import { type FlowResult, makeRealClock } from "@praxis/flow";
import { runFlowFile } from "@praxis/flow/node";
import { z } from "zod";
import { flowHost } from "./flow-host.ts";

/** Runs a flow on an input with a random stream of its own. */
export type RunFlowOnce = (input: unknown, rng: Rng) => Promise<FlowResult>;

/** Makes the action that an answer means, such as "the third candidate"; returns what it does not understand as it is. */
export type CompleteAction = (answer: unknown, observation: unknown) => unknown;

/** Whether the name of a policy is that of a flow file. */
export function isFlowFile(name: string): boolean {
  return /\.ya?ml$/i.test(name);
}

/** The policy that a flow file describes. A file with mistakes is refused at its first step, with all of them. */
export function makeFlowFilePolicy(definition: EnvDefinition, file: string, complete: CompleteAction): Policy {
  const runOnce: RunFlowOnce = async (input, rng) => {
    const outcome = await runFlowFile(file, {
      ...flowHost(),
      input,
      rng,
      seed: "episode",
      clock: () => makeRealClock(() => performance.now()),
    });
    if (outcome.kind === "ran") return outcome.result;
    throw new PraxisError("INVALID_CONFIG", `The flow can't be run:\n${outcome.text}`);
  };
  return makeFlowPolicy(definition, runOnce, z.toJSONSchema(definition.schemas.action), complete);
}

/**
 * A policy that asks a flow: its input is the observation, the action's legality and the action's JSON Schema as one object;
 * its first output is the action. An answer that is no action of the environment is sent back once with what is wrong.
 *
 * @throws PraxisError VALIDATION_ERROR when the flow fails or gives no action twice: no other action is taken in its place
 */
export function makeFlowPolicy(
  definition: EnvDefinition,
  runOnce: RunFlowOnce,
  actionJsonSchema: unknown,
  complete: CompleteAction = (answer) => answer,
): Policy {
  let stream: Rng | undefined;
  let steps = 0;
  return {
    name: "flow",
    reset(rng) {
      stream = rng;
      steps = 0;
    },
    async act(observation, info: Info) {
      if (stream === undefined) throw new PraxisError("RESET_NEEDED", "Call reset of the flow policy before act.");
      const step = steps++;
      let fault = "";
      for (let attempt = 1; attempt <= 2; attempt++) {
        const input = {
          environment: definition.id,
          observation,
          info: { actionMask: info.actionMask ?? null },
          action_schema: actionJsonSchema,
          ...(fault === "" ? {} : { problem_of_last_answer: fault }),
        };
        const result = await runOnce(input, stream.split(`step ${step} attempt ${attempt}`));
        if (result.status !== "completed")
          throw new PraxisError(
            "VALIDATION_ERROR",
            `The flow ended as ${result.status}: ${result.error?.message ?? "no output"}`,
          );
        const answer = Object.values(result.outputs)[0];
        const given = typeof answer === "string" ? parseAnswer(answer) : answer;
        const parsed = definition.schemas.action.safeParse(complete(given, observation));
        if (parsed.success) return parsed.data;
        const issues = parsed.error.issues.map((issue) => `${issue.path.join(".") || "the action"}: ${issue.message}`);
        fault = `${issues.join("; ")}; the answer was ${JSON.stringify(given ?? null).slice(0, 200)}`;
      }
      throw new PraxisError("VALIDATION_ERROR", `The flow gave no action of ${definition.id}: ${fault}`);
    },
  };
}

/** JSON in an answer, also when it stands in a fenced block; the text itself where there is none. */
function parseAnswer(text: string): unknown {
  const body = /```(?:json)?\s*\n([\s\S]*?)\n?```/.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return text;
  }
}
