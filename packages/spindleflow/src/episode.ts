import type { Info, RngStreams, Transition, Violation } from "@praxis/env";
import { type Judged, judgeChoice, readAction, type SpindleFlowAction } from "./action.ts";
import type { AuditChain } from "./audit/chain.ts";
import { appendStep } from "./audit/chain.ts";
import type { BankIndex } from "./bank/bank-index.ts";
import type { SpindleFlowConfig } from "./config.ts";
import { applyDecision, stepReward } from "./engine/apply.ts";
import type { CallRecord } from "./engine/log.ts";
import { computeMasks, type Masks } from "./engine/masks.ts";
import { KeyedNoise } from "./engine/noise.ts";
import { measure } from "./engine/quality.ts";
import { computeTaskReward, type TaskReward } from "./engine/reward.ts";
import { beginRun, cloneRun, type TaskRun } from "./engine/run.ts";
import type { World } from "./engine/world.ts";
import { type EndedTask, type LearningState, pathConsistency, pathOf, pathStep, typeOfTask } from "./learning-state.ts";
import { meterTask } from "./meter.ts";
import type { Decision } from "./names.ts";
import {
  EMBEDDING_LENGTH,
  type ObservationLayout,
  observationLayout,
  observe,
  type SpindleFlowObservation,
  writeEdges,
  writeProgress,
  writeRoster,
  writeTaskStart,
} from "./observation.ts";
import { type Shift, seatText, taskText } from "./shift/shift.ts";
import { companyFits, maySpawn, spawnSpecialist } from "./shift/spawn.ts";

/** State of an episode, latent fields included. Plain data; never changed in place. */
export interface EpisodeState {
  readonly config: SpindleFlowConfig;
  readonly shift: Shift;
  readonly learning: LearningState;
  readonly encoding: "array" | "base64";
  /** Best cosine below which somebody may be spawned. */
  readonly spawnThreshold: number;
  /** Somebody in the company is near enough to the task as it stands. */
  readonly companyFits: boolean;
  readonly taskIndex: number;
  readonly tasksEnded: number;
  readonly run: TaskRun;
  readonly masks: Masks;
  /** Final measured score of the task before. */
  readonly lastScore: number;
  readonly vector: Float32Array;
  readonly ended: readonly EndedTask[];
  /** Cost units of tasks already ended. */
  readonly costUnitsBefore: number;
  readonly audit: AuditChain | null;
}

/** The world of the task in hand. */
export function worldOf(state: Pick<EpisodeState, "config" | "shift" | "taskIndex">): World {
  const { config, shift, taskIndex } = state;
  return { config, members: shift.members, task: shift.tasks[taskIndex]!.world, sigma: shift.sigma };
}

const layouts = Array.from({ length: 9 }, (_, size) => observationLayout(size));
const layoutOf = (config: SpindleFlowConfig): ObservationLayout => layouts[config.maxSpecialists]!;

function masksOf(index: BankIndex, state: Omit<EpisodeState, "masks" | "vector">): Masks {
  const { config, run } = state;
  const rule = config.maskStopUntilFirstCall;
  return computeMasks(worldOf(state), run, {
    stopNeedsCall: rule === "always" || (rule === "phase1" && config.phase === 1),
    maySpawn: !state.companyFits && maySpawn({ index, ...state }),
  });
}

/** Begins an episode on a drawn shift. */
export function beginEpisode(
  index: BankIndex,
  start: Pick<EpisodeState, "config" | "shift" | "learning" | "encoding" | "spawnThreshold" | "audit">,
): EpisodeState {
  const layout = layoutOf(start.config);
  const run = beginRun(worldOf({ ...start, taskIndex: 0 }));
  const bare = {
    ...start,
    taskIndex: 0,
    tasksEnded: 0,
    run,
    companyFits: companyFits({ index, ...start, taskIndex: 0, run }, start.spawnThreshold),
    lastScore: 0,
    ended: [],
    costUnitsBefore: 0,
  };
  const state: EpisodeState = { ...bare, masks: masksOf(index, bare), vector: new Float32Array(layout.length) };
  writeRoster(state.vector, layout, index, state);
  writeTaskStart(state.vector, layout, index, state);
  writeProgress(state.vector, layout, state);
  return state;
}

/** Bank rows behind the embeddings in the vector, for trainers that project each row once; −1: not of the bank, or empty. */
export function embeddingRows(
  index: BankIndex,
  state: EpisodeState,
): { readonly task: number; readonly slots: readonly number[] } {
  const task = state.shift.tasks[state.taskIndex]!;
  const text = task.bankIndex === null ? null : index.bank.tasks[task.bankIndex]!;
  return {
    task: text === null ? -1 : state.run.clarified ? text.clarifiedRow : text.row,
    slots: state.shift.seats.map((seat) =>
      seat === null || seat.bankIndex === null ? -1 : index.bank.specialists[seat.bankIndex]!.row,
    ),
  };
}

/** v ← (1 − w)·v + w·text for each output delivered. */
function noteOutputs(
  vector: Float32Array,
  layout: ObservationLayout,
  calls: readonly CallRecord[],
  weight: number,
): void {
  for (const { callee, status, score } of calls) {
    if (typeof callee !== "number" || status !== "ok" || score === null) continue;
    const from = layout.roster + callee * EMBEDDING_LENGTH;
    for (let i = 0; i < EMBEDDING_LENGTH; i++) {
      const at = layout.scratchpad + i;
      vector[at] = (1 - weight) * vector[at]! + weight * vector[from + i]!;
    }
  }
}

/** v ← ½·v + ½·score·m, m the normalised mean of those who delivered: what is left of a finished task. */
function foldScratchpad(vector: Float32Array, layout: ObservationLayout, run: TaskRun, score: number): void {
  const mean = new Float32Array(EMBEDDING_LENGTH);
  for (let slot = 0; slot < layout.size; slot++) {
    if (run.delivered[slot] === 0) continue;
    const from = layout.roster + slot * EMBEDDING_LENGTH;
    for (let i = 0; i < EMBEDDING_LENGTH; i++) mean[i] = mean[i]! + vector[from + i]!;
  }
  let norm = 0;
  for (const x of mean) norm += x * x;
  const scale = norm > 0 ? score / Math.sqrt(norm) : 0;
  for (let i = 0; i < EMBEDDING_LENGTH; i++) {
    const at = layout.scratchpad + i;
    vector[at] = 0.5 * vector[at]! + 0.5 * scale * mean[i]!;
  }
}

/** What a task's end tells. */
interface TaskEnded {
  readonly index: number;
  readonly by: "stop" | "limit";
  readonly reward: number;
}

/** The pure step of the environment. */
export function transitionEpisode(
  index: BankIndex,
  state: EpisodeState,
  action: SpindleFlowAction,
  streams: RngStreams,
): Transition<EpisodeState, SpindleFlowObservation> {
  const { config } = state;
  const world = worldOf(state);
  const layout = layoutOf(config);
  const choice = readAction(action, {
    size: config.maxSpecialists,
    slaMs: world.task.slaMs,
    normalized: config.normalizeActions,
  });
  const judged: Judged = judgeChoice(choice, state.masks);
  const decision: Decision | null = judged.decision;
  const noise = new KeyedNoise(streams, state.taskIndex);
  const run = cloneRun(state.run);
  const vector = new Float32Array(state.vector);
  const calls: CallRecord[] = [];
  const violations: Violation[] = judged.violation === null ? [] : [judged.violation];
  let shift = state.shift;
  let reward = 0 - config.reward.violation * violations.length;
  run.steps++;
  if (decision !== null) {
    if (decision.meta === "spawnSpecialist") {
      const made = spawnSpecialist(
        { index, ...state, run },
        streams.keyed("specialists", state.taskIndex, "spawn", run.steps),
      );
      shift = made.shift;
      run.elapsedMs += config.timing.handOverMs + config.timing.spawnMs;
      if (made.isRedundant) reward -= config.reward.redundantSpawn;
      writeRoster(vector, layout, index, { ...state, shift });
    } else applyDecision({ world, run, noise, log: { calls } }, decision);
    if (decision.meta !== "stop") run.path.push(pathStep(world, decision));
    reward += stepReward(world, state.run, run, decision);
    if (run.outputs > 0) measure(world, run, noise);
    if (decision.meta === "clarifyTask")
      vector.set(taskText(index, shift.tasks[state.taskIndex]!).clarifiedVector, layout.task);
    noteOutputs(vector, layout, calls, config.memoryNew);
    writeEdges(vector, layout, calls);
  }
  const stopped = decision?.meta === "stop";
  const hasEnded = stopped || run.steps >= config.maxStepsPerTask;
  let next: EpisodeState = { ...state, shift, run, vector };
  let taskEnded: TaskEnded | null = null;
  let taskReward: TaskReward | null = null;
  if (hasEnded) {
    const type = typeOfTask(world.task.class, shift.tasks[state.taskIndex]!.domain);
    const path = pathOf(run);
    taskReward = computeTaskReward({ ...world, members: shift.members }, run, noise, {
      stopped,
      pathConsistency: (delta) => pathConsistency(state.learning, type, path, delta),
    });
    reward += taskReward.reward;
    taskEnded = { index: state.taskIndex, by: stopped ? "stop" : "limit", reward: taskReward.reward };
    const { qualityDelta } = taskReward.components;
    const lastScore = run.outputs > 0 ? taskReward.inputs.teamScore : 0;
    next = {
      ...next,
      tasksEnded: state.tasksEnded + 1,
      lastScore,
      ended: [...state.ended, { type, path, qualityDelta, quality: taskReward.inputs.teamScore }],
      costUnitsBefore: state.costUnitsBefore + run.costUnits,
    };
    if (next.tasksEnded < shift.tasks.length) {
      next = { ...next, taskIndex: state.taskIndex + 1 };
      next = { ...next, run: beginRun(worldOf(next)) };
      foldScratchpad(vector, layout, run, lastScore);
      writeTaskStart(vector, layout, index, next);
    }
  }
  const terminated = next.tasksEnded === shift.tasks.length;
  if (config.reward.shaping === "potential") {
    const after = hasEnded || run.outputs === 0 ? 0 : run.measured;
    const before = state.run.outputs === 0 ? 0 : state.run.measured;
    reward += config.reward.shapingScale * (SHAPING_GAMMA * after - before);
  }
  // The company's fit changes only with the text or with the company.
  if (hasEnded || decision?.meta === "clarifyTask" || shift !== state.shift)
    next = { ...next, companyFits: companyFits({ index, ...next }, state.spawnThreshold) };
  next = { ...next, masks: masksOf(index, next) };
  writeProgress(vector, layout, next);
  if (state.audit !== null)
    next = {
      ...next,
      audit: appendStep(state.audit, { state, action, choice, decision, calls, next, taskReward, workedOn: run }),
    };
  const info: Info = {
    action: decision,
    calls,
    violations,
    actionMask: { ...next.masks },
    elapsedMs: run.elapsedMs,
    costUnits: run.costUnits,
    embeddingRows: embeddingRows(index, next),
    ...(next.audit === null ? {} : { auditHead: next.audit.head }),
    ...(taskReward === null || taskEnded === null
      ? {}
      : {
          taskEnded,
          rewardComponents: { ...taskReward.components },
          reward: taskReward,
          usd: meterTask(index, state, run),
        }),
    ...(terminated
      ? { terminationReason: taskEnded!.by === "stop" ? "last task stopped" : "last task at its step limit" }
      : {}),
  };
  return { state: next, observation: observe(index, next, violations), reward, terminated, truncated: false, info };
}

/** Discount of the potential; it has to be the trainer's for the optimal policy to stay the same. Source: Ng, Harada, Russell 1999. */
const SHAPING_GAMMA = 0.995;

/** Texts of the seats, for infos. */
export function seatSummary(index: BankIndex, state: EpisodeState): readonly (string | null)[] {
  return state.shift.seats.map((seat) => (seat === null ? null : seatText(index, seat).specialist.id));
}
