import { type Info, type Policy, PraxisError, Rng } from "@praxis/env";
import { encodeDecision, type SpindleFlowAction } from "../action.ts";
import type { Bank, TaskClass } from "../bank/bank.ts";
import { BankIndex } from "../bank/bank-index.ts";
import type { SpindleFlowSettings } from "../config.ts";
import type { TaskReward } from "../engine/reward.ts";
import { openConflicts } from "../engine/run.ts";
import { makeSpindleFlowEnv, type SpindleFlowParts } from "../env.ts";
import { worldOf } from "../episode.ts";
import type { TaskTokens } from "../meter.ts";
import type { Decision } from "../names.ts";
import { taskText } from "../shift/shift.ts";
import { makeScript } from "./index.ts";
import type { Script } from "./script.ts";

/** One task of a played shift. Plain data. */
export interface PlayedTask {
  /** As it was asked, before any clarification. */
  readonly text: string;
  /** Everything paid from the task's first step to its end. */
  readonly reward: number;
  readonly trueQuality: number;
  /** True quality minus that of a generalist alone. */
  readonly qualityGain: number;
  readonly invoked: number;
  readonly costUnits: number;
  readonly elapsedMs: number;
  readonly missedSla: boolean;
  readonly violations: number;
  readonly conflictsLeft: number;
  readonly failures: number;
  readonly recovered: number;
  readonly tokens: TaskTokens;
  /** Null where a step named no choice. */
  readonly decisions: readonly (Decision | null)[];
  readonly class: TaskClass;
  readonly shape: string;
  readonly urgent: boolean;
  /** Words of vagueness stand in the text. */
  readonly vague: boolean;
}

/** A played shift: its tasks, and every action as the vector that was given to the environment. Plain data. */
export interface PlayedShift {
  readonly tasks: readonly PlayedTask[];
  readonly actions: readonly (readonly number[])[];
}

/** Who can play: a script, which may read the state, or a policy that is shown observations only and answers at once. */
export type ShiftPlayer = Script | Policy;

const isScript = (player: ShiftPlayer): player is Script => "choose" in player;

/** Plays one shift; equal seeds meet equal tasks, people and luck, whatever the player does. */
function playWholeShift(
  parts: SpindleFlowParts,
  player: ShiftPlayer,
  { seed, options = {} }: { readonly seed: number; readonly options?: Readonly<Record<string, unknown>> },
): PlayedShift {
  const env = makeSpindleFlowEnv(parts);
  const { index } = parts;
  let { observation, info }: { observation: unknown; info: Info } = env.reset({ seed, options });
  const rng = Rng.fromSeed(seed, "script");
  if (!isScript(player)) player.reset(rng);
  const tasks: PlayedTask[] = [];
  const actions: (readonly number[])[] = [];
  let decisions: (Decision | null)[] = [];
  let reward = 0;
  let violations = 0;
  for (;;) {
    const state = env.latentState()!;
    const world = worldOf(state);
    const size = state.config.maxSpecialists;
    let action: SpindleFlowAction;
    if (isScript(player))
      action = { vector: [...encodeDecision(player.choose({ index, state, rng }), size, world.task.slaMs)] };
    else {
      const answer = player.act(observation, info);
      if (answer instanceof Promise)
        throw new PraxisError(
          "NOT_SUPPORTED",
          `The policy '${player.name}' answers asynchronously; shifts are played at once.`,
        );
      action = answer as SpindleFlowAction;
    }
    const result = env.step(action);
    if ("vector" in action && action.vector !== undefined) actions.push(Array.from(action.vector as ArrayLike<number>));
    decisions.push(result.info.action as Decision | null);
    reward += result.reward;
    violations += (result.info.violations as readonly unknown[]).length;
    const after = env.latentState()!;
    if (isScript(player)) player.seen?.(state, after, result.info);
    const ended = result.info.reward as TaskReward | undefined;
    if (ended !== undefined) {
      const { trueQuality, baseQuality, invoked, elapsedMs, slaMs } = ended.inputs;
      const { shape, urgent } = world.task;
      const { text, vague } = taskText(index, state.shift.tasks[state.taskIndex]!).task;
      // A step that ends a task by its limit may have worked on it; what was open before it is what a stop leaves open.
      const { failures } = state.run;
      tasks.push({
        ...{ reward, trueQuality, qualityGain: trueQuality - baseQuality, invoked, violations, decisions },
        ...{ costUnits: result.info.costUnits as number, elapsedMs, missedSla: elapsedMs > slaMs },
        ...{ conflictsLeft: openConflicts(state.run), failures: failures.length },
        recovered: failures.filter(({ recovery }) => recovery !== "none").length,
        tokens: result.info.usd as TaskTokens,
        ...{ text, class: world.task.class, shape, urgent, vague },
      });
      decisions = [];
      reward = 0;
      violations = 0;
    }
    if (result.terminated) return { tasks, actions };
    ({ observation, info } = result);
  }
}

/** {@link playWholeShift} with a script under the settings' own options; its tasks. */
export function playShift(parts: SpindleFlowParts, script: Script, seed: number): readonly PlayedTask[] {
  return playWholeShift(parts, script, { seed }).tasks;
}

/** A sector's shifts under fixed settings, played by scripts by name or by policies. */
export class ShiftStage {
  readonly #parts: SpindleFlowParts;

  /** Throws INVALID_CONFIG at the first shift for settings that are wrong. */
  constructor(bank: Bank, settings: SpindleFlowSettings = {}) {
    this.#parts = { index: new BankIndex(bank), settings };
  }

  /** @param player name of a script, or a policy. Throws UNKNOWN_NAME for a name that no script has. */
  play(
    player: string | Policy,
    request: { readonly seed: number; readonly options?: Readonly<Record<string, unknown>> },
  ): PlayedShift {
    // Planners remember, so each shift needs a new one.
    return playWholeShift(this.#parts, typeof player === "string" ? makeScript(player) : player, request);
  }
}
