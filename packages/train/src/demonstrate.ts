import type { Policy, Rng, SyncEnv } from "@praxis/env";
import type { SftExample } from "./sft.ts";
import type { DecisionTask, LastResult } from "./small-policy.ts";

/** An episode that somebody played for a learner to learn from. */
export interface Demonstration<Decision> {
  readonly examples: readonly SftExample<Decision>[];
  /** What the task says it came to, else the sum of its rewards. */
  readonly value: number;
}

/** Which episode is played, and by whom. */
export interface DemonstrationRequest<Decision> {
  readonly env: SyncEnv;
  /** One for the episode, where tasks remember what they have read. */
  readonly task: DecisionTask<Decision>;
  readonly policy: Policy;
  readonly rng: Rng;
  readonly reset: { readonly seed: number; readonly options: Readonly<Record<string, unknown>> };
  /** Longest demonstration; what follows is neither played nor learnt from. */
  readonly maxSteps: number;
}

/**
 * Plays an episode as a policy would, in the task's own actions: what stands for the policy's action is carried out and becomes the
 * example. Null where the policy wants something that is no choice of the task.
 */
export async function demonstrate<Decision>(
  request: DemonstrationRequest<Decision>,
): Promise<Demonstration<Decision> | null> {
  const { env, task, policy, rng, reset, maxSteps } = request;
  policy.reset(rng);
  const examples: SftExample<Decision>[] = [];
  let last: LastResult = env.reset(reset);
  let sum = 0;
  for (let step = 0; step < maxSteps; step++) {
    const decision = task.decisionOf(last);
    const found = task.choiceOf(await policy.act(last.observation, last.info), decision, last);
    if (found === null || !found.isLegal) return null;
    const result = env.step(task.actionOf(found.choice, decision, last));
    task.judge?.(found.choice, result);
    examples.push({ decision, choice: found.choice });
    sum += result.reward;
    last = result;
    if (result.terminated || result.truncated) break;
  }
  return { examples, value: task.returnOf?.(last) ?? sum };
}
