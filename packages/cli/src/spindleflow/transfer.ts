import type { EnvDefinition } from "@praxis/env";
import { bootstrap, type Estimate, pairedBootstrap } from "@praxis/eval";
import type { Kernels } from "@praxis/nn";
import { loadSpindleFlow } from "@praxis/spindleflow";
import { type DelegationPolicy, EpisodePpo, evaluateRecorded, loadRecordedPolicy } from "@praxis/train";
import { identityOf, makeOrchestrator, orchestratorFolder, readOrchestrator } from "./orchestrator.ts";
import { runOptions } from "./warm-start.ts";

/** What a transfer is of. */
export interface TransferSettings {
  /** Orchestrator that ships, or the folder of a run. */
  readonly from: string;
  /** The new company's sector. */
  readonly sector: string;
  /** Shifts that it is adapted on, and from-scratch training too. */
  readonly episodes: number;
  /** Shifts of the longer training from scratch. */
  readonly longEpisodes: number;
  /** Shifts of the evaluation, the same for all. */
  readonly n: number;
  readonly seed: number;
}

/** Reward per task on the same shifts of the new company. */
export interface TransferResult {
  readonly sector: string;
  readonly before: Estimate;
  readonly after: Estimate;
  readonly scratch: Estimate;
  readonly scratchLong: Estimate;
  readonly afterMinusBefore: Estimate;
  readonly afterMinusScratch: Estimate;
}

/** Origin of the evaluation's seeds, apart from those of training. */
const EVALUATION_SEEDS = 8_000_000_000;
/** Updates within the adaptation. Source: the specification's transfer protocol. */
const UPDATES = 8;

/** What learns at a new company: heads and value; encoder and memories stand still. */
const isHead = (name: string): boolean => ["choices", "slotHead", "value"].some((part) => name.startsWith(part));

/** Adapts an orchestrator to another company and compares it with itself before and with training from nothing. */
export async function transfer(
  { from, sector, episodes, longEpisodes, n, seed }: TransferSettings,
  kernels: Kernels,
  say: (line: string) => void,
): Promise<TransferResult> {
  const { settings, checkpoint } = readOrchestrator(orchestratorFolder(from));
  const definition = loadSpindleFlow({ sector, settings: settings.env }) as unknown as EnvDefinition;
  const resetOptions = runOptions(settings);
  const fresh = (): DelegationPolicy => makeOrchestrator(definition, kernels, settings, seed);
  const evaluate = (policy: DelegationPolicy): readonly number[] => {
    const counts = new Array<number>(n).fill(0);
    const { returns } = evaluateRecorded({
      ...{ definition, kernels, policy, episodes: n, seed: EVALUATION_SEEDS + seed, resetOptions },
      onStep(episode, { info }) {
        if (info.taskEnded !== undefined) counts[episode]!++;
      },
    });
    return returns.map((sum, i) => sum / counts[i]!);
  };
  const learn = async (policy: DelegationPolicy, goal: number, isAdapting: boolean): Promise<DelegationPolicy> => {
    const perUpdate = Math.ceil(episodes / UPDATES);
    const ppo = new EpisodePpo({
      ...{ definition, kernels, policy, seed, resetOptions, identity: identityOf(definition) },
      settings: {
        // A shift has about twenty steps; a rollout ends with the shifts of an update.
        ...{ numEnvs: perUpdate, batchSteps: perUpdate * 16, minibatches: 2 },
        ...(isAdapting
          ? { learningRate: 3e-4, finalLearningRate: 3e-4, entropyCoef: 0.005, finalEntropyCoef: 0.005 }
          : { learningRate: 1e-3, finalLearningRate: 1e-3 }),
      },
      ...(isAdapting ? { trains: isHead } : {}),
    });
    try {
      while (ppo.episodes < goal) await ppo.iterate();
      return policy;
    } finally {
      await ppo.close();
    }
  };
  const trained = fresh();
  loadRecordedPolicy(trained, { definition, checkpoint, identity: identityOf(definition) });
  const before = evaluate(trained);
  say(`${sector}: as it is ${bootstrap(before).mean.toFixed(3)} a task.`);
  const after = evaluate(await learn(trained, episodes, true));
  say(`${sector}: after ${episodes} shifts ${bootstrap(after).mean.toFixed(3)}.`);
  const scratch = evaluate(await learn(fresh(), episodes, false));
  say(`${sector}: from scratch, ${episodes} shifts ${bootstrap(scratch).mean.toFixed(3)}.`);
  const scratchLong = evaluate(await learn(fresh(), longEpisodes, false));
  say(`${sector}: from scratch, ${longEpisodes} shifts ${bootstrap(scratchLong).mean.toFixed(3)}.`);
  return {
    sector,
    before: bootstrap(before),
    after: bootstrap(after),
    scratch: bootstrap(scratch),
    scratchLong: bootstrap(scratchLong),
    afterMinusBefore: pairedBootstrap(after, before),
    afterMinusScratch: pairedBootstrap(after, scratch),
  };
}
