import type { EnvDefinition, SyncEnv } from "@praxis/env";
import { mean } from "@praxis/eval";
import type { Kernels } from "@praxis/nn";
import type { PlayedShift } from "@praxis/spindleflow";
import { type DelegationPolicy, makeDelegationTask, RecordedSmallPolicy, Sft, type SftExample } from "@praxis/train";
import type { SpindleRunSettings } from "./run-settings.ts";
import { playPlans } from "./shift-jobs.ts";

/** Origin of the seeds of shifts that teachers play: apart from those of training and evaluation. */
const TEACHER_SEEDS = 3_000_000_000;

/** What a warm start needs beside the settings. */
interface WarmStartPlace {
  readonly definition: EnvDefinition;
  readonly kernels: Kernels;
  readonly policy: DelegationPolicy;
  readonly seed: number;
  readonly workers: number;
  readonly signal: AbortSignal | undefined;
  say(line: string): void;
}

/** Reset options of every episode of a run: preset, phase and tier where they are set. */
export function runOptions({ preset, phase, tier }: SpindleRunSettings): Readonly<Record<string, unknown>> {
  return { preset, ...(phase === null ? {} : { phase }), ...(tier === null ? {} : { tier }) };
}

/**
 * Clones a script into a policy: workers play its shifts, supervised fine-tuning learns its choices; the value is left as it is.
 * Scripts named planners read texts and outcomes only; an oracle as teacher knows more than the policy will.
 */
export async function warmStart(settings: SpindleRunSettings, place: WarmStartPlace): Promise<void> {
  const { teacher, shifts, epochs, minibatchSize, learningRate, weightDecay } = settings.warmStart;
  if (teacher === null) return;
  const { definition, kernels, policy, seed, say } = place;
  const options = runOptions(settings);
  const seeds = Array.from({ length: shifts }, (_, i) => TEACHER_SEEDS + seed * 1_000_000 + i);
  say(`Warm start: '${teacher}' plays ${shifts} shifts.`);
  let told = 0;
  const [played] = await playPlans(
    [{ sector: settings.sector, settings: settings.env, options, player: { script: teacher }, seeds }],
    {
      workers: Math.max(1, place.workers),
      onProgress(done, total) {
        if (done < total && done - told < total / 10) return;
        told = done;
        if (done > 0) say(`Warm start: ${done} of ${total} shifts played.`);
      },
    },
  );
  const perTask = mean(played!.flatMap(({ tasks }) => tasks.map(({ reward }) => reward)));
  say(`Warm start: the teacher earned ${perTask.toFixed(3)} a task. Cloning it in ${epochs} epochs.`);
  const episodes = examplesOf(definition, policy, { played: played!, seeds, options });
  const sft = new Sft({
    ...{ kernels, policy: new RecordedSmallPolicy(policy), episodes, envId: definition.id, seed },
    settings: { epochs, minibatchSize, learningRate, learningRateSchedule: "linear", weightDecay },
  });
  while (!sft.isDone && place.signal?.aborted !== true) {
    const row = sft.iterate();
    say(`Warm start: epoch ${row.iteration} of ${epochs}, cross-entropy ${row["losses/cross_entropy"]!.toFixed(3)}.`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The teacher's shifts played again, as what the policy would have seen and should have chosen. */
function examplesOf(
  definition: EnvDefinition,
  policy: DelegationPolicy,
  of: {
    readonly played: readonly PlayedShift[];
    readonly seeds: readonly number[];
    readonly options: Readonly<Record<string, unknown>>;
  },
) {
  const task = makeDelegationTask(definition, policy);
  const env = definition.makeEnv() as SyncEnv;
  type Example = SftExample<ReturnType<typeof task.decisionOf>>;
  return of.played.map(({ actions }, i): Example[] => {
    let last: Parameters<typeof task.decisionOf>[0] = env.reset({ seed: of.seeds[i]!, options: of.options });
    return actions.map((vector): Example => {
      const decision = task.decisionOf(last);
      const found = task.choiceOf({ vector }, decision, last);
      last = env.step({ vector });
      return { decision, choice: found?.isLegal === true ? found.choice : null };
    });
  });
}
