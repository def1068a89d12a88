import { Rng } from "@praxis/env";
import { encodeDecision } from "../action.ts";
import type { BankIndex } from "../bank/bank-index.ts";
import type { TaskReward } from "../engine/reward.ts";
import { makeSpindleFlowEnv, type SpindleFlowParts } from "../env.ts";
import { worldOf } from "../episode.ts";
import type { Decision } from "../names.ts";
import { taskText } from "../shift/shift.ts";
import type { Script } from "./script.ts";

/** One task of a played shift. */
export interface PlayedTask {
  readonly reward: number;
  readonly trueQuality: number;
  readonly invoked: number;
  readonly costUnits: number;
  readonly missedSla: boolean;
  readonly decisions: readonly Decision[];
  readonly shape: string;
  readonly urgent: boolean;
  /** Words of vagueness stand in the text. */
  readonly vague: boolean;
}

/** Plays one shift with a script; equal seeds meet equal tasks, people and luck, whatever the script does. */
export function playShift(parts: SpindleFlowParts, script: Script, seed: number): PlayedTask[] {
  const env = makeSpindleFlowEnv(parts);
  const index: BankIndex = parts.index;
  env.reset({ seed });
  const rng = Rng.fromSeed(seed, "script");
  const played: PlayedTask[] = [];
  let decisions: Decision[] = [];
  let reward = 0;
  for (;;) {
    const state = env.latentState()!;
    const decision = script.choose({ index, state, rng });
    const world = worldOf(state);
    const result = env.step({
      vector: encodeDecision(decision, state.config.maxSpecialists, world.task.slaMs),
    });
    decisions.push(decision);
    reward += result.reward;
    script.seen?.(state, env.latentState()!, result.info);
    const ended = result.info.reward as TaskReward | undefined;
    if (ended !== undefined) {
      const { trueQuality, invoked, elapsedMs, slaMs } = ended.inputs;
      const { shape, urgent } = world.task;
      const { vague } = taskText(index, state.shift.tasks[state.taskIndex]!).task;
      played.push({
        ...{ reward, trueQuality, invoked, decisions, shape, urgent, vague },
        costUnits: result.info.costUnits as number,
        missedSla: elapsedMs > slaMs,
      });
      decisions = [];
      reward = 0;
    }
    if (result.terminated) return played;
  }
}
