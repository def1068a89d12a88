import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { canonicalJson, type EnvDefinition, PraxisError, type SyncEnv } from "@praxis/env";
import { mean } from "@praxis/eval";
import type { Kernels } from "@praxis/nn";
import {
  type DelegationPolicy,
  loadRecordedPolicy,
  makeDelegationTask,
  RecordedSmallPolicy,
  Sft,
  type SftExample,
} from "@praxis/train";
import { identityOf, orchestratorFolder, readOrchestrator } from "./orchestrator.ts";
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
 * Gives a policy what it begins PPO with: the weights of another run, then those of cloning a script. Workers play the script's
 * shifts, supervised fine-tuning learns its choices; the value is left as it is. Scripts named planners read texts and outcomes
 * only; an oracle as teacher knows more than the policy will.
 */
export async function warmStart(settings: SpindleRunSettings, place: WarmStartPlace): Promise<void> {
  const { from, teacher, epochs, minibatchSize, learningRate, weightDecay } = settings.warmStart;
  const { definition, kernels, policy, seed, say } = place;
  if (from !== null) {
    const { checkpoint } = readOrchestrator(orchestratorFolder(from));
    loadRecordedPolicy(policy, { definition, checkpoint, identity: identityOf(definition) });
    say(`Warm start: weights of '${from}'.`);
  }
  if (teacher === null) return;
  const demonstrations = await demonstrationsOf(settings, teacher, place);
  say(`Warm start: cloning '${teacher}' from ${demonstrations.length} shifts in ${epochs} epochs.`);
  const episodes = examplesOf(definition, policy, demonstrations, runOptions(settings));
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

/** One shift that a teacher played, as a line of a file. */
interface Demonstration {
  readonly seed: number;
  readonly actions: readonly (readonly number[])[];
}

/** The teacher's shifts, read from the settings' file where it is there, else played, and written where one is named. */
async function demonstrationsOf(
  settings: SpindleRunSettings,
  teacher: string,
  { seed, workers, say }: WarmStartPlace,
): Promise<readonly Demonstration[]> {
  const { shifts, demonstrations: file } = settings.warmStart;
  const options = runOptions(settings);
  const header = canonicalJson({ teacher, sector: settings.sector, env: settings.env, options });
  if (file !== null && existsSync(file)) {
    const [first, ...lines] = readFileSync(file, "utf8").split("\n");
    if (first !== header)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `'${file}' holds shifts of another teacher or other settings (${first}); name another file.`,
      );
    const read = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Demonstration);
    if (read.length >= shifts) return read.slice(0, shifts);
    throw new PraxisError("VALIDATION_ERROR", `'${file}' holds ${read.length} shifts; warmStart.shifts is ${shifts}.`);
  }
  const seeds = Array.from({ length: shifts }, (_, i) => TEACHER_SEEDS + seed * 1_000_000 + i);
  say(`Warm start: '${teacher}' plays ${shifts} shifts.`);
  let told = 0;
  const [played] = await playPlans(
    [{ sector: settings.sector, settings: settings.env, options, player: { script: teacher }, seeds }],
    {
      workers: Math.max(1, workers),
      onProgress(done, total) {
        if (done === 0 || (done < total && done - told < total / 10)) return;
        told = done;
        say(`Warm start: ${done} of ${total} shifts played.`);
      },
    },
  );
  const perTask = mean(played!.flatMap(({ tasks }) => tasks.map(({ reward }) => reward)));
  say(`Warm start: the teacher earned ${perTask.toFixed(3)} a task.`);
  const demonstrations = played!.map(({ actions }, i): Demonstration => ({ seed: seeds[i]!, actions }));
  if (file !== null)
    writeFileSync(file, [header, ...demonstrations.map((each) => JSON.stringify(each)), ""].join("\n"));
  return demonstrations;
}

/** The teacher's shifts played again, as what the policy would have seen and should have chosen. */
function examplesOf(
  definition: EnvDefinition,
  policy: DelegationPolicy,
  demonstrations: readonly Demonstration[],
  options: Readonly<Record<string, unknown>>,
) {
  const task = makeDelegationTask(definition, policy);
  const env = definition.makeEnv() as SyncEnv;
  type Example = SftExample<ReturnType<typeof task.decisionOf>>;
  return demonstrations.map(({ seed, actions }): Example[] => {
    let last: Parameters<typeof task.decisionOf>[0] = env.reset({ seed, options });
    return actions.map((vector): Example => {
      const decision = task.decisionOf(last);
      const found = task.choiceOf({ vector }, decision, last);
      last = env.step({ vector });
      return { decision, choice: found?.isLegal === true ? found.choice : null };
    });
  });
}
