import { type EnvDefinition, Rng } from "@praxis/env";
import type { Kernels, NamedArray } from "@praxis/nn";
import type { Checkpoint } from "./checkpoint.ts";
import { checkOrigin } from "./checkpoint-origin.ts";
import { evaluateSmallPolicy } from "./evaluate-small.ts";
import { type GroupCollector, Grpo, type GrpoSettings } from "./grpo.ts";
import { restoreParameters } from "./model-tensors.ts";
import { Sft, type SftExample, type SftSettings } from "./sft.ts";
import { makeSmallAgent, type SmallAgent, type SmallAgentSettings } from "./small-agent.ts";
import { copyWeights } from "./small-policy.ts";
import { type LoopOptions, type LoopResult, runTrainer, type Trainer } from "./train-loop.ts";

/** What goes with a run of SFT or GRPO. */
export interface TrainSmallOptions extends LoopOptions {
  readonly definition: EnvDefinition;
  readonly kernels: Kernels;
  readonly seed: number;
  readonly agentSettings: SmallAgentSettings;
  readonly resetOptions?: Readonly<Record<string, unknown>>;
  /** Continue from here. */
  readonly resume?: Checkpoint;
  /** Begin with these weights instead of fresh ones; a checkpoint to resume from outranks them. */
  readonly weights?: ReadonlyMap<string, NamedArray>;
}

/** What goes with a run of SFT. */
export interface TrainSftOptions extends TrainSmallOptions {
  readonly settings: SftSettings;
  /** Examples for the agent's task, as {@link readTraceExamples} reads them. */
  examplesFor(agent: SmallAgent<unknown>): readonly (readonly SftExample<unknown>[])[];
}

/** What goes with a run of GRPO. */
export interface TrainGrpoOptions extends TrainSmallOptions {
  readonly settings: GrpoSettings;
  /** Default: in this thread. */
  readonly collector?: GroupCollector<unknown>;
  /** Why an iteration learnt nothing. */
  onNote?(note: string): void;
}

/** Fine-tunes to the end, to a return, or until stopped; the last checkpoint is always of the last epoch. */
export async function trainSft(options: TrainSftOptions): Promise<LoopResult> {
  const agent = beginAgent(options, "policy");
  const { kernels, seed, settings, definition } = options;
  const episodes = options.examplesFor(agent);
  const sft = new Sft({ kernels, policy: agent.policy, episodes, envId: definition.id, seed, settings });
  if (options.resume !== undefined) sft.restore(options.resume);
  return run(options, agent, {
    get iteration() {
      return sft.iteration;
    },
    get position() {
      return sft.iteration;
    },
    get isDone() {
      return sft.isDone;
    },
    iterate: () => sft.iterate(),
    save: () => sft.save(),
  });
}

/**
 * GRPO to the end, to a return, or until stopped; the last checkpoint is always of the last iteration. With a `klCoef` the
 * reference policy is the one that the run began with.
 */
export async function trainGrpo(options: TrainGrpoOptions): Promise<LoopResult> {
  const agent = beginAgent(options, "policy");
  const { definition, kernels, seed, settings, resetOptions = {}, collector } = options;
  const referencePolicy = settings.klCoef > 0 ? beginAgent(options, "reference").policy : null;
  if (referencePolicy !== null) copyWeights(agent.policy, referencePolicy);
  const grpo = new Grpo({
    ...{ definition, ...agent, kernels, seed, settings, resetOptions },
    ...(referencePolicy === null ? {} : { referencePolicy }),
    ...(collector === undefined ? {} : { collector }),
  });
  if (options.resume !== undefined) grpo.restore(options.resume);
  return run(options, agent, {
    get iteration() {
      return grpo.iteration;
    },
    get position() {
      return grpo.iteration;
    },
    get isDone() {
      return grpo.isDone;
    },
    async iterate() {
      const { values, note } = await grpo.iterate();
      if (note !== null) options.onNote?.(note);
      return values;
    },
    save: () => grpo.save(),
  });
}

function beginAgent({ definition, kernels, seed, agentSettings, weights }: TrainSmallOptions, stream: string) {
  const rng = Rng.fromSeed(seed, "small-agent").split(stream);
  const agent = makeSmallAgent(definition, { kernels, rng, settings: agentSettings });
  if (weights !== undefined) restoreParameters(agent.policy.parameters(), weights);
  return agent;
}

function run(options: TrainSmallOptions, agent: SmallAgent<unknown>, trainer: Trainer): Promise<LoopResult> {
  const { definition, kernels, resetOptions = {} } = options;
  return runTrainer(trainer, options, ({ episodes, seed }) =>
    evaluateSmallPolicy({ definition, kernels, ...agent, episodes, seed, resetOptions }),
  );
}

/** The agent of a checkpoint of SFT or GRPO. Throws VALIDATION_ERROR when it is not of these settings. */
export function loadSmallAgent(options: {
  readonly definition: EnvDefinition;
  readonly kernels: Kernels;
  readonly settings: SmallAgentSettings;
  readonly checkpoint: Checkpoint;
}): SmallAgent<unknown> {
  const { definition, kernels, settings, checkpoint } = options;
  checkOrigin(checkpoint, ["sft", "grpo"], definition.id);
  // Weights are replaced at once, so any stream will do.
  const agent = makeSmallAgent(definition, { kernels, rng: Rng.fromSeed(0), settings });
  restoreParameters(agent.policy.parameters(), checkpoint.weights);
  return agent;
}
