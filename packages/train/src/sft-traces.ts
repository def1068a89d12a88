import { type EnvDefinition, hashJson, PraxisError, type SyncEnv, type Trace } from "@praxis/env";
import type { SftExample } from "./sft.ts";
import type { DecisionTask, LastResult } from "./small-policy.ts";

/** What recorded episodes have to teach. */
export interface TraceExamples<Decision> {
  readonly episodes: readonly (readonly SftExample<Decision>[])[];
  /** Steps that are not learnt from: of a failed verifier. */
  readonly failedSteps: number;
  /** Steps that are not learnt from: the action was masked. */
  readonly illegalSteps: number;
}

/**
 * Examples from recorded episodes, replayed in `env`; the choice is what stands for the recorded action. Throws INVALID_TRACE
 * when a trace is of another environment, a replay departs from it or an action is no choice; NOT_SUPPORTED when choices can't
 * be read off actions.
 */
export function readTraceExamples<Decision>(
  traces: readonly Trace[],
  { definition, env, task }: { definition: EnvDefinition; env: SyncEnv; task: DecisionTask<Decision> },
): TraceExamples<Decision> {
  const counts = { failedSteps: 0, illegalSteps: 0 };
  const episodes = traces.map(({ header, steps }) => {
    if (header.env !== definition.id)
      throw new PraxisError(
        "INVALID_TRACE",
        `Trace '${header.episodeId}' is of '${header.env}', not of '${definition.id}'.`,
      );
    const own = task.episode?.() ?? task;
    let last: LastResult = env.reset({ seed: header.seed, options: header.options });
    return steps.map(({ step, action, observationHash, infraError }): SftExample<Decision> => {
      const decision = own.decisionOf(last);
      const found = own.choiceOf(action, decision, last);
      // A task with a memory of its own takes note of what is done.
      if (found !== null && own !== task) own.actionOf(found.choice, decision, last);
      const result = env.step(action);
      if (found === null || hashJson(result.observation) !== observationHash)
        throw new PraxisError(
          "INVALID_TRACE",
          `Step ${step} of '${header.episodeId}' does not repeat in '${definition.id}' ${definition.version}.`,
        );
      last = result;
      if (infraError !== undefined) counts.failedSteps++;
      else if (!found.isLegal) counts.illegalSteps++;
      return { decision, choice: infraError === undefined && found.isLegal ? found.choice : null };
    });
  });
  return { episodes, ...counts };
}
