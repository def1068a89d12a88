import {
  type EpisodeStart,
  type Info,
  type RngStreams,
  type Simulator,
  SimulatorEnv,
  type Transition,
} from "@praxis/env";
import { type ParseVerdict, parseRawAction, typedVerdict } from "./actions/parse.ts";
import type { StepAction } from "./actions/schema.ts";
import type { ActionPayload } from "./actions/types.ts";
import type { CourseContext } from "./course/context.ts";
import type { CourseEvaluator } from "./course/evaluator.ts";
import type { EpisodeState } from "./episode.ts";
import { EngineRoom, face } from "./facing.ts";
import { importBundle } from "./fhir/import.ts";
import type { ImportedRecord } from "./fhir/record.ts";
import { recordInfo, stepReview } from "./fhir/record-info.ts";
import { type RecordScenario, scenarioOfRecord } from "./fhir/scenario.ts";
import { type EndedEpisode, finalInfo, makeYardsticks } from "./final-info.ts";
import { describeDelta } from "./info.ts";
import { judgeAction } from "./judge-action.ts";
import type { KnowledgeBase } from "./kb/types.ts";
import { encodeObservation } from "./observation/encode.ts";
import { initialMemory } from "./observation/learn.ts";
import type { Observation } from "./observation/schema.ts";
import { hearPatient } from "./observation/symptoms.ts";
import { type ResetOptions, resolveReset } from "./reset-options.ts";
import { judgeStaleAction } from "./reward/anti-cheat.ts";
import { countStep, type EndingCounters, judgeEnding, NO_COUNTS } from "./reward/endings.ts";
import type { StepJudgement } from "./reward/judge-step.ts";
import { advanceCredit, keepReward } from "./reward/score.ts";
import type { CompiledWeights } from "./reward/total.ts";
import { beginCredit } from "./reward/value-components.ts";
import { perturbScenario } from "./scenario/perturbations.ts";
import type { ScenarioSource } from "./scenario/source.ts";
import {
  actionMask,
  isReviewJustified,
  isUselessChange,
  judgementInfo,
  recordOf,
  shownIds,
  stepped,
  withStep,
} from "./step-records.ts";
import { SUB_ENVIRONMENT_TABLE } from "./sub-environments/index.ts";
import type { Drawn, Effect, Finished, Passed, Yardsticks } from "./sub-environments/sub-environment.ts";

/** What an environment is put together from. */
export interface PolyGuardParts {
  readonly kb: KnowledgeBase;
  /** Names by which records may call the drugs. */
  readonly evaluator: CourseEvaluator;
  readonly source: ScenarioSource;
  readonly weights: CompiledWeights;
  /** J of the best course of a scenario, asked for when a reset wants a task score; null = not told. */
  readonly bestJ: (context: CourseContext) => number | null;
}

/** Reward of a step that was not one, and of the last step of an exploit. */
const LOWEST_REWARD = 0.001;

/** Versioned id of the environment. */
export const POLYGUARD_ID = "PolyGuard-v0";

const NO_IDS: ReadonlySet<string> = new Set();
const NO_WARNINGS: readonly string[] = [];
/** What is understood when no action came in time. */
const NO_ACTION: ParseVerdict = { action: null, formatScore: 0, flags: [], reason: "timed out" };

/** The pure core of PolyGuard: reset draws a scenario, a step is parse, align, judge, apply, observe. */
export class PolyGuardSimulator implements Simulator<EpisodeState, StepAction, Observation, ResetOptions> {
  readonly #parts: PolyGuardParts;
  readonly #engines: EngineRoom;

  constructor(parts: PolyGuardParts) {
    this.#parts = parts;
    this.#engines = new EngineRoom(parts.kb, parts.evaluator);
  }

  /** Begins an episode. Throws UNKNOWN_NAME, VALIDATION_ERROR or NOT_SUPPORTED for bad options. */
  begin(
    start: EpisodeStart<ResetOptions>,
    streams: RngStreams,
  ): { readonly state: EpisodeState; readonly observation: Observation; readonly info: Info } {
    const { wanted, exposesLegality, scoresTask, showsPopulation, perturbation, warnings } = resolveReset(
      start.options,
      start.seed,
    );
    const imported = wanted.kind === "record" ? this.#importRecord(wanted.bundle, wanted.asOf) : null;
    const found: Drawn =
      wanted.kind === "record"
        ? { scenario: imported!.scenario, content: null }
        : wanted.kind === "packed"
          ? this.#parts.source.packed(wanted.id)
          : this.#parts.source.get(wanted.key);
    const drawn: Drawn =
      perturbation === null
        ? found
        : { ...found, scenario: perturbScenario(this.#parts.kb, found.scenario, perturbation) };
    const { scenario, content } = drawn;
    const sub = SUB_ENVIRONMENT_TABLE[scenario.subEnvironment];
    const engines = this.#engines.of(drawn);
    const { kb, evaluator } = engines;
    const context: CourseContext = { kb, scenario };
    const world = scenario.initial;
    const special = sub.begin(drawn, streams, { showsPopulation });
    const memory = hearPatient(kb, world, initialMemory(context), streams.stream("noise"));
    const faced = face(sub, engines, { context, evaluator, content, special, world, memory }, streams);
    const { assessment } = faced;
    const state: EpisodeState = {
      sub,
      engines,
      context,
      evaluator,
      content,
      special,
      episodeId: start.episodeId,
      exposesLegality,
      scoresTask,
      warnings,
      world,
      memory,
      known: faced.known,
      legality: faced.legality,
      nonce: faced.nonce,
      offered: faced.offered,
      assessment,
      credit: beginCredit(
        assessment.keep,
        assessment.candidates.filter((each) => each.isLegal).map((each) => each.value),
      ),
      ledger: [],
      counters: NO_COUNTS,
      shownIds: shownIds(NO_IDS, faced.known),
      segments: [],
      records: [],
      harmAtReset: evaluator.now(context, world).harm,
      staleActions: 0,
      hadIllegalAction: false,
      hasSevereEvent: false,
      uselessChanges: 0,
    };
    return {
      state,
      observation: observe(state),
      info: {
        scenario_id: scenario.id,
        ...(warnings.length > 0 ? { warnings } : {}),
        ...(state.exposesLegality ? { actionMask: actionMask(state) } : {}),
        ...(imported === null ? {} : { record: recordInfo(kb, imported.record, imported.assumptions, state.known) }),
      },
    };
  }

  /** One step. Raw text is judged, never refused; a typed action has been checked by the schema before. */
  transition(state: EpisodeState, action: StepAction, streams: RngStreams): Transition<EpisodeState, Observation> {
    const timeout = "timed_out" in action ? action.timed_out : null;
    const parsed =
      "timed_out" in action ? NO_ACTION : "raw" in action ? parseRawAction(action.raw) : typedVerdict(action);
    if (parsed.action !== null && parsed.action.step_nonce !== state.nonce) return this.#refuseStale(state);
    const { context, world, sub } = state;
    const { scored, judged, alignment, effect } = judgeAction(state, parsed, this.#parts.weights);
    const keep = keepReward(scored);
    const passed = passTime(state, judged.carriedOut, effect, streams);
    const counted = stepped(passed.world);
    const memory = withStep(passed.memory, state, judged, alignment);
    const reached = judged.carriedOut === null ? state.assessment.keep : judged.score.value;
    const { score, flags } = judged;
    const isInvalid = timeout === null && !judged.verdict.legal;
    const counters = countStep(state.counters, { isInvalid, isTimeout: timeout !== null, isVeto: false });
    const finished: Finished = {
      context,
      evaluator: state.evaluator,
      content: state.content,
      special: passed.special,
      world: counted,
      memory,
      segments: passed.segments.length === 0 ? state.segments : [...state.segments, ...passed.segments],
      hadIllegalAction: state.hadIllegalAction || isInvalid,
      hasSevereEvent: state.hasSevereEvent || passed.hasSevereEvent,
      uselessChanges:
        state.uselessChanges + Number(isUselessChange(state, judged.carriedOut, alignment?.candidate ?? null)),
    };
    const ended = this.#judgeEnd(finished, state, judged, { counters, isWallClockOver: timeout === "episode" });
    const faced = face(sub, state.engines, finished, streams, ended !== null);
    // One literal: what is spread together leaves states of many hidden classes, which are slow to make and to read.
    const next: EpisodeState = {
      sub,
      engines: state.engines,
      context,
      evaluator: state.evaluator,
      content: state.content,
      special: finished.special,
      episodeId: state.episodeId,
      exposesLegality: state.exposesLegality,
      scoresTask: state.scoresTask,
      warnings: NO_WARNINGS,
      world: counted,
      memory,
      known: faced.known,
      legality: faced.legality,
      nonce: faced.nonce,
      offered: faced.offered,
      assessment: faced.assessment,
      credit: advanceCredit(state.credit, state.assessment.keep, reached),
      ledger: [...state.ledger, judged.entry],
      counters,
      shownIds: shownIds(state.shownIds, faced.known),
      segments: finished.segments,
      records: [...state.records, recordOf(state, judged, keep, timeout === null ? null : LOWEST_REWARD)],
      harmAtReset: state.harmAtReset,
      staleActions: state.staleActions,
      hadIllegalAction: finished.hadIllegalAction,
      hasSevereEvent: finished.hasSevereEvent,
      uselessChanges: finished.uselessChanges,
    };
    const info = judgementInfo(judged, parsed, keep);
    if (timeout !== null) Object.assign(info, { violations: [], failure_reasons: [`${timeout}_timeout`] });
    info.invalid_action_count = counters.invalidInAll;
    info.timeouts = { in_a_row: counters.timeoutsInARow, total: counters.timeoutsInAll };
    info.transition = describeDelta(context.kb, world, next.world);
    if (next.exposesLegality) info.actionMask = actionMask(next);
    if (context.scenario.split === "record")
      info.record = stepReview(context.kb, next.known, { before: state.assessment.keep, after: score.value });
    if (ended !== null) Object.assign(info, endInfo(next, ended));
    return {
      state: next,
      observation: observe(next),
      reward: timeout !== null || flags.some((flag) => flag.level === "hard") ? LOWEST_REWARD : score.reward,
      terminated: ended?.ending.kind === "terminated",
      truncated: ended?.ending.kind === "truncated",
      info,
    };
  }

  /** Public state: what any observer of the server may see. */
  view(state: EpisodeState): Readonly<Record<string, unknown>> {
    const { scenario } = state.context;
    const { clock } = state.world;
    return {
      scenario_id: scenario.id,
      sub_environment: scenario.subEnvironment,
      difficulty: scenario.difficulty,
      day: clock.day,
      steps_left: clock.stepsLeft,
      visits_left: clock.visitsLeft,
      changes_left: clock.changesLeft,
    };
  }

  #importRecord(bundle: unknown, asOf: string | undefined): RecordScenario & { readonly record: ImportedRecord } {
    const record = importBundle(this.#parts.kb, bundle, asOf);
    return { ...scenarioOfRecord(this.#parts.kb, record), record };
  }

  /** A step of another moment: answered with the reason, nothing is judged; the third one is an exploit. */
  #refuseStale(state: EpisodeState): Transition<EpisodeState, Observation> {
    const staleActions = state.staleActions + 1;
    const flag = judgeStaleAction(staleActions, state.world.clock.step);
    const isExploit = flag.level === "hard";
    const next: EpisodeState = { ...state, staleActions };
    return {
      state: next,
      observation: observe(next),
      reward: LOWEST_REWARD,
      terminated: isExploit,
      truncated: false,
      info: {
        violations: [{ kind: "A15", message: "step_nonce is of another step; use the one of this observation." }],
        flags: [flag],
        failure_reasons: ["stale_step"],
        invalid_action_count: state.counters.invalidInAll,
        ...(isExploit
          ? endInfo(next, {
              ending: { reason: "exploit_detection", kind: "terminated" },
              criteria: null,
              yardsticks: this.#yardsticksOf(next, next),
            })
          : {}),
      },
    };
  }

  /** J of the best course is told only where it is wanted and the patient is a scenario's. */
  #yardsticksOf({ scoresTask, sub }: EpisodeState, finished: Finished): () => Yardsticks {
    const { context } = finished;
    const isWanted = sub.bestJUse !== "none" && (scoresTask ?? sub.bestJUse === "success");
    const isTold = isWanted && context.scenario.split !== "record";
    return makeYardsticks(finished, () => (isTold ? this.#parts.bestJ(context) : null));
  }

  #judgeEnd(
    finished: Finished,
    before: EpisodeState,
    judged: StepJudgement,
    { counters, isWallClockOver }: { readonly counters: EndingCounters; readonly isWallClockOver: boolean },
  ): EndedEpisode | null {
    const { sub } = before;
    const { context, world, evaluator } = finished;
    const { clock } = world;
    const input = {
      isExploit: judged.flags.some((flag) => flag.level === "hard"),
      hasSevereEvent: finished.hasSevereEvent,
      harmNow: world === before.world ? 0 : evaluator.now(context, world).harm,
      harmAtReset: before.harmAtReset,
      counters,
      isFinish: judged.carriedOut?.type === "FINISH" || sub.isOver(finished, judged.carriedOut),
      isJustifiedReview: judged.carriedOut?.type === "REQUEST_REVIEW" && isReviewJustified(before),
      isSuccess: false,
      // Where the length is fixed, the last step is the end of the course and no limit from outside.
      visitsLeft: sub.isFixedLength ? clock.stepsLeft : clock.visitsLeft,
      stepsLeft: clock.stepsLeft,
      isWallClockOver,
    };
    if (judgeEnding(input) === null) return null;
    const yardsticks = this.#yardsticksOf(before, finished);
    const criteria = sub.criteria(finished, yardsticks);
    const ending = judgeEnding({ ...input, isSuccess: criteria.every(Boolean) })!;
    return { ending, criteria, yardsticks };
  }
}

/** What the info of the last step tells beside that of every step. */
function endInfo(state: EpisodeState, ended: EndedEpisode): Info {
  return { terminationReason: ended.ending.reason, ...finalInfo(state, ended) };
}

/** Time passes for what is carried out; nothing passes for FINISH and for what is not. */
function passTime(
  state: EpisodeState,
  payload: ActionPayload | null,
  effect: Effect | null,
  streams: RngStreams,
): Passed {
  if (payload === null || effect === null)
    return { world: state.world, memory: state.memory, special: state.special, segments: [], hasSevereEvent: false };
  if (payload.type === "FINISH")
    return {
      world: effect.applied.state,
      memory: effect.memory,
      special: effect.special,
      segments: [],
      hasSevereEvent: false,
    };
  return state.sub.pass(state, payload, effect, streams);
}

function observe(state: EpisodeState): Observation {
  const { fields } = state.assessment;
  const missing = fields.filter((field) => field.isMissing).map((field) => field.name);
  const observation = encodeObservation(state.engines.knownKb, state.context.scenario, state.world, state.known, {
    episodeId: state.episodeId,
    nonce: state.nonce,
    offered: state.offered,
    warnings: state.warnings,
    missingFields: [...new Set([...state.known.missingFields, ...missing])],
    entropyHint: fields.length === 0 ? 0 : missing.length / fields.length,
  });
  return Object.assign(observation, state.sub.observe(state));
}

/** The environment shell: a simulator with its episode. */
export type PolyGuardEnv = SimulatorEnv<EpisodeState, StepAction, Observation, ResetOptions>;

/** A new environment on shared parts. @param seed of the sequence for resets without one */
export function makePolyGuardEnv(parts: PolyGuardParts, seed = 0): PolyGuardEnv {
  return new SimulatorEnv(POLYGUARD_ID, new PolyGuardSimulator(parts), seed);
}
