import {
  type EpisodeStart,
  hashText,
  type Info,
  type RngStreams,
  type Simulator,
  SimulatorEnv,
  type Transition,
} from "@praxis/env";
import { type Alignment, alignAction } from "./actions/align.ts";
import { generateCandidates } from "./actions/candidates.ts";
import { buildLegalityContext } from "./actions/legality-context.ts";
import { type ParseVerdict, parseRawAction, typedVerdict } from "./actions/parse.ts";
import type { StepAction } from "./actions/schema.ts";
import { type ActionPayload, type OfferedCandidate, targetMedRef, usesChange } from "./actions/types.ts";
import { type Applied, applyAction } from "./course/apply.ts";
import type { CourseContext } from "./course/context.ts";
import type { CourseEvaluator } from "./course/evaluator.ts";
import { passDays } from "./course/j.ts";
import { closeVisit, type Segment } from "./course/visit.ts";
import type { EpisodeState, StepRecord } from "./episode.ts";
import type { DrugNames } from "./fhir/drug-names.ts";
import { importBundle } from "./fhir/import.ts";
import type { ImportedRecord } from "./fhir/record.ts";
import { recordInfo, stepReview } from "./fhir/record-info.ts";
import { type RecordScenario, scenarioOfRecord } from "./fhir/scenario.ts";
import { describeDelta } from "./info.ts";
import type { KnowledgeBase } from "./kb/types.ts";
import { copyMemory } from "./observation/copy-memory.ts";
import { encodeObservation } from "./observation/encode.ts";
import { KnownBuilder } from "./observation/known.ts";
import { initialMemory, learn } from "./observation/learn.ts";
import { drawSamples } from "./observation/measure.ts";
import type { Observation } from "./observation/schema.ts";
import { hearPatient } from "./observation/symptoms.ts";
import type { HistoryEntry, Memory } from "./observation/types.ts";
import { type ResetOptions, resolveReset } from "./reset-options.ts";
import { judgeStaleAction } from "./reward/anti-cheat.ts";
import { assessState } from "./reward/assessment.ts";
import { countStep, type Ending, judgeEnding, NO_COUNTS } from "./reward/endings.ts";
import { observationIds } from "./reward/grounding.ts";
import { type JudgedStep, judgeStep, type StepJudgement } from "./reward/judge-step.ts";
import { advanceCredit, keepReward, type ScoredState } from "./reward/score.ts";
import type { CompiledWeights } from "./reward/total.ts";
import { beginCredit } from "./reward/value-components.ts";
import type { ScenarioSource } from "./scenario/source.ts";
import { TIERS } from "./scenario/tiers.ts";
import { finalInfo } from "./sub-environments/ddi/final-info.ts";
import { judgeCriteria } from "./sub-environments/ddi/success.ts";
import { copyClock, copyState } from "./world/copies.ts";
import type { WorldState } from "./world/types.ts";

/** What an environment is put together from. */
export interface PolyGuardParts {
  readonly kb: KnowledgeBase;
  /** Names by which records may call the drugs. */
  readonly drugNames: DrugNames;
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

/** A step's action carried out on the true state, with what was learned from it. */
interface CarriedOut {
  readonly world: WorldState;
  readonly memory: Memory;
  readonly segments: readonly Segment[];
  readonly hasSevereEvent: boolean;
}

/** The pure core of PolyGuard: reset draws a scenario, a step is parse, align, judge, apply, observe. */
export class PolyGuardSimulator implements Simulator<EpisodeState, StepAction, Observation, ResetOptions> {
  readonly #parts: PolyGuardParts;
  readonly #knownBuilder: KnownBuilder;

  constructor(parts: PolyGuardParts) {
    this.#parts = parts;
    this.#knownBuilder = new KnownBuilder(parts.kb);
  }

  /** Begins an episode. Throws UNKNOWN_NAME, VALIDATION_ERROR or NOT_SUPPORTED for bad options. */
  begin(
    start: EpisodeStart<ResetOptions>,
    streams: RngStreams,
  ): { readonly state: EpisodeState; readonly observation: Observation; readonly info: Info } {
    const { wanted, exposesLegality, scoresTask, warnings } = resolveReset(start.options, start.seed);
    const imported = wanted.kind === "record" ? this.#importRecord(wanted.bundle, wanted.asOf) : null;
    const scenario = wanted.kind === "record" ? imported!.scenario : this.#parts.source.get(wanted.key);
    const context: CourseContext = { kb: this.#parts.kb, scenario };
    const world = scenario.initial;
    const memory = hearPatient(this.#parts.kb, world, initialMemory(context), streams.stream("noise"));
    const faced = this.#face(context, world, memory, streams);
    const { assessment } = faced;
    const state: EpisodeState = {
      context,
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
      harmAtReset: this.#parts.evaluator.now(context, world).harm,
      staleActions: 0,
      hadIllegalAction: false,
      hasSevereEvent: false,
      uselessChanges: 0,
    };
    return {
      state,
      observation: this.#observe(state),
      info: {
        scenario_id: scenario.id,
        ...(warnings.length > 0 ? { warnings } : {}),
        ...(state.exposesLegality ? { actionMask: actionMask(state) } : {}),
        ...(imported === null
          ? {}
          : { record: recordInfo(this.#parts.kb, imported.record, imported.assumptions, state.known) }),
      },
    };
  }

  /** One step. Raw text is judged, never refused; a typed action has been checked by the schema before. */
  transition(state: EpisodeState, action: StepAction, streams: RngStreams): Transition<EpisodeState, Observation> {
    const parsed = "raw" in action ? parseRawAction(action.raw) : typedVerdict(action);
    if (parsed.action !== null && parsed.action.step_nonce !== state.nonce) return this.#refuseStale(state);
    const { evaluator, kb } = this.#parts;
    const { context, world } = state;
    const alignment = parsed.action === null ? null : alignAction(parsed.action, state.offered);
    const outcome: { applied: Applied | null; learned: Memory } = { applied: null, learned: state.memory };
    const step: JudgedStep = {
      parsed,
      alignment,
      ledger: state.ledger,
      shownIds: state.shownIds,
      isWithoutEffect: (payload) => {
        outcome.applied = applyAction(context, world, payload);
        outcome.learned = learn(
          { context, world, known: state.known, offered: state.offered, memory: state.memory },
          payload,
        );
        return outcome.applied.outcome.isNoEffect && outcome.learned === state.memory;
      },
    };
    const scored = this.#scoredState(state);
    const judged = judgeStep(scored, step);
    const keep = keepReward(scored);
    const done =
      judged.carriedOut === null || outcome.applied === null
        ? idle(state)
        : this.#carryOut(state, judged.carriedOut, outcome.applied, outcome.learned, streams);
    const counted = stepped(done.world);
    const memory = withHistory(done.memory, historyEntry(state, judged, alignment));
    const reached = judged.carriedOut === null ? state.assessment.keep : judged.score.value;
    const { score, flags } = judged;
    const counters = countStep(state.counters, { isInvalid: !judged.verdict.legal, isTimeout: false, isVeto: false });
    const hadIllegalAction = state.hadIllegalAction || !judged.verdict.legal;
    const hasSevereEvent = state.hasSevereEvent || done.hasSevereEvent;
    const reachedEnd = {
      context,
      world: counted,
      counters,
      hadIllegalAction,
      hasSevereEvent,
      harmAtReset: state.harmAtReset,
    };
    const { ending, criteria } = this.#judgeEnd(reachedEnd, state, judged);
    const faced = this.#face(context, counted, memory, streams, ending !== null);
    const record: StepRecord = {
      step: world.clock.step,
      reward: score.reward,
      voidedReward: score.voidedReward,
      keepReward: keep,
      components: score.components,
      channels: score.channels,
      gates: score.gates,
      flags,
    };
    // One literal: what is spread together leaves states of many hidden classes, which are slow to make and to read.
    const next: EpisodeState = {
      context,
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
      segments: done.segments.length === 0 ? state.segments : [...state.segments, ...done.segments],
      records: [...state.records, record],
      harmAtReset: state.harmAtReset,
      staleActions: state.staleActions,
      hadIllegalAction,
      hasSevereEvent,
      uselessChanges:
        state.uselessChanges + Number(isUselessChange(state, judged.carriedOut, alignment?.candidate ?? null)),
    };
    const { hard, soft, facts, legal } = judged.verdict;
    const info: Record<string, unknown> = {
      rewardComponents: score.components,
      channels: score.channels,
      keep_reward: keep,
      gates: score.gates,
      violations: hard.map((hit) => ({ kind: hit.id, message: hit.text, facts: hit.facts })),
      checks: soft.map((hit) => ({ id: hit.id, message: hit.text })),
      verifier: { legal, hard: hard.map((hit) => hit.id), soft: soft.map((hit) => hit.id), facts },
      flags,
      failure_reasons: failureReasons(judged, parsed),
      invalid_action_count: counters.invalidInAll,
      timeouts: { in_a_row: counters.timeoutsInARow, total: counters.timeoutsInAll },
      transition: describeDelta(kb, state.world, next.world),
    };
    if (next.exposesLegality) info.actionMask = actionMask(next);
    if (context.scenario.split === "record")
      info.record = stepReview(kb, next.known, { before: state.assessment.keep, after: score.value });
    if (ending !== null) {
      info.terminationReason = ending.reason;
      Object.assign(info, finalInfo({ context, evaluator, state: next, ending, criteria, bestJ: this.#bestJOf(next) }));
    }
    return {
      state: next,
      observation: this.#observe(next),
      reward: flags.some((flag) => flag.level === "hard") ? LOWEST_REWARD : score.reward,
      terminated: ending?.kind === "terminated",
      truncated: ending?.kind === "truncated",
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
    const record = importBundle(this.#parts.drugNames, bundle, asOf);
    return { ...scenarioOfRecord(this.#parts.kb, record), record };
  }

  #scoredState(state: EpisodeState): ScoredState {
    return {
      course: state.context,
      evaluator: this.#parts.evaluator,
      world: state.world,
      legality: state.legality,
      assessment: state.assessment,
      credit: state.credit,
      weights: this.#parts.weights,
      step: state.world.clock.step,
      maxSteps: TIERS[state.context.scenario.difficulty].steps,
    };
  }

  /** Lets time pass for a legal action: a closed visit, a day of waiting for information, or nothing for FINISH. */
  #carryOut(
    state: EpisodeState,
    payload: ActionPayload,
    applied: Applied,
    learned: Memory,
    streams: RngStreams,
  ): CarriedOut {
    const { evaluator, kb } = this.#parts;
    const { context } = state;
    if (payload.type === "FINISH")
      return { world: applied.state, memory: learned, segments: [], hasSevereEvent: false };
    const noise = streams.stream("noise");
    if (!applied.outcome.closesVisit) {
      const passed = passDays(context, applied.state, applied.outcome.days);
      const codes = payload.type === "ORDER_MONITORING" ? new Set(payload.orders) : NO_CODES;
      const drawn = drawSamples(context, passed.state, learned, codes, noise);
      return { world: drawn.state, memory: drawn.memory, segments: [passed.segment], hasSevereEvent: false };
    }
    const closed = closeVisit(context, evaluator, applied.state);
    const codes = new Set(closed.state.orders.filter((order) => order.endDay === null).map((order) => order.code));
    const drawn = drawSamples(context, closed.state, learned, codes, noise);
    return {
      world: drawn.state,
      memory: hearPatient(kb, drawn.state, drawn.memory, noise),
      segments: closed.segments,
      hasSevereEvent: closed.hasSevereEvent,
    };
  }

  /** What the agent faces in a world: known facts, legality, candidates and their worth. After the end nothing is offered. */
  #face(
    context: CourseContext,
    world: WorldState,
    memory: Memory,
    streams: RngStreams,
    isOver = false,
  ): Pick<EpisodeState, "known" | "legality" | "nonce" | "offered" | "assessment"> {
    const { kb, evaluator } = this.#parts;
    const built = this.#knownBuilder.build(context, world, memory);
    const legality = buildLegalityContext(kb, built);
    const nonce = hashText(`${context.scenario.id}/${world.clock.step}`);
    evaluator.begin(context, world);
    const offered = isOver
      ? []
      : generateCandidates({
          kb,
          known: built,
          context: legality,
          nonce,
          rng: streams.stream("candidates"),
          utilityOf: (payload) => evaluator.value(payload).utility,
        });
    const assessment = assessState(context, evaluator, world, legality, offered);
    return { known: built, legality, nonce, offered, assessment };
  }

  #judgeEnd(
    reached: Pick<
      EpisodeState,
      "context" | "world" | "counters" | "hadIllegalAction" | "hasSevereEvent" | "harmAtReset"
    >,
    before: EpisodeState,
    judged: StepJudgement,
  ): { readonly ending: Ending | null; readonly criteria: ReturnType<typeof judgeCriteria> | null } {
    const { evaluator } = this.#parts;
    const { context, world } = reached;
    const input = {
      isExploit: judged.flags.some((flag) => flag.level === "hard"),
      hasSevereEvent: reached.hasSevereEvent,
      harmNow: world === before.world ? 0 : evaluator.now(context, world).harm,
      harmAtReset: reached.harmAtReset,
      counters: reached.counters,
      isFinish: judged.carriedOut?.type === "FINISH",
      isJustifiedReview: judged.carriedOut?.type === "REQUEST_REVIEW" && isReviewJustified(before),
      isSuccess: false,
      visitsLeft: world.clock.visitsLeft,
      stepsLeft: world.clock.stepsLeft,
      isWallClockOver: false,
    };
    const first = judgeEnding(input);
    if (first === null) return { ending: null, criteria: null };
    const criteria = judgeCriteria(context, evaluator, reached);
    return { ending: judgeEnding({ ...input, isSuccess: criteria.every(Boolean) }), criteria };
  }

  /** A step of another moment: answered with the reason, nothing is judged; the third one is an exploit. */
  #refuseStale(state: EpisodeState): Transition<EpisodeState, Observation> {
    const staleActions = state.staleActions + 1;
    const flag = judgeStaleAction(staleActions, state.world.clock.step);
    const isExploit = flag.level === "hard";
    const next: EpisodeState = { ...state, staleActions };
    const ending: Ending = { reason: "exploit_detection", kind: "terminated" };
    return {
      state: next,
      observation: this.#observe(next),
      reward: LOWEST_REWARD,
      terminated: isExploit,
      truncated: false,
      info: {
        violations: [{ kind: "A15", message: "step_nonce is of another step; use the one of this observation." }],
        flags: [flag],
        failure_reasons: ["stale_step"],
        invalid_action_count: state.counters.invalidInAll,
        ...(isExploit
          ? {
              terminationReason: ending.reason,
              ...finalInfo({
                context: state.context,
                evaluator: this.#parts.evaluator,
                state: next,
                ending,
                criteria: null,
                bestJ: this.#bestJOf(next),
              }),
            }
          : {}),
      },
    };
  }

  /** J of the best course, where the reset asked for a task score and the patient is a scenario's. */
  #bestJOf({ context, scoresTask }: EpisodeState): number | null {
    return scoresTask && context.scenario.split !== "record" ? this.#parts.bestJ(context) : null;
  }

  #observe(state: EpisodeState): Observation {
    const { fields } = state.assessment;
    const missing = fields.filter((field) => field.isMissing).map((field) => field.name);
    return encodeObservation(this.#parts.kb, state.context.scenario, state.world, state.known, {
      episodeId: state.episodeId,
      nonce: state.nonce,
      offered: state.offered,
      warnings: state.warnings,
      missingFields: [...new Set([...state.known.missingFields, ...missing])],
      entropyHint: fields.length === 0 ? 0 : missing.length / fields.length,
    });
  }
}

const NO_IDS: ReadonlySet<string> = new Set();
const NO_CODES: ReadonlySet<string> = new Set();
const NO_WARNINGS: readonly string[] = [];

/** Nothing was carried out: the state stays as it is. */
function idle(state: EpisodeState): CarriedOut {
  return { world: state.world, memory: state.memory, segments: [], hasSevereEvent: false };
}

function stepped(world: WorldState): WorldState {
  const next = copyState(world);
  const clock = copyClock(world.clock);
  clock.step++;
  clock.stepsLeft = Math.max(0, clock.stepsLeft - 1);
  next.clock = clock;
  return next;
}

function withHistory(memory: Memory, entry: HistoryEntry): Memory {
  const next = copyMemory(memory);
  next.history = [...memory.history, entry];
  return next;
}

function historyEntry(state: EpisodeState, judged: StepJudgement, alignment: Alignment | null): HistoryEntry {
  const payload = alignment?.payload ?? null;
  const { hard } = judged.verdict;
  const outcome =
    judged.entry.type === "NOOP"
      ? "not understood"
      : hard.length > 0
        ? `refused: ${hard.map((hit) => hit.id).join(", ")}`
        : judged.entry.isNoEffect
          ? "no effect"
          : "done";
  return {
    step: state.world.clock.step,
    day: state.world.clock.day,
    actionType: judged.entry.type,
    target: payload === null ? null : (alignment?.candidate?.wire.target ?? targetMedRef(payload)),
    outcome,
    canonical: judged.entry.canonical,
    source: alignment?.candidate?.source ?? null,
    isLegal: judged.verdict.legal,
  };
}

/** Ids shown before and now; the same set when nothing new is shown. */
function shownIds(before: ReadonlySet<string>, known: EpisodeState["known"]): ReadonlySet<string> {
  const fresh = [...observationIds(known)].filter((id) => !before.has(id));
  return fresh.length === 0 ? before : new Set([...before, ...fresh]);
}

/** A review is justified when there is need to abstain and no legal offer is better than KEEP. */
function isReviewJustified({ assessment }: EpisodeState): boolean {
  return assessment.needsAbstention && assessment.best <= assessment.keep.utility + 1e-12;
}

/** A change that answers alerts, every one of which is false or managed. */
function isUselessChange(
  state: EpisodeState,
  payload: ActionPayload | null,
  candidate: OfferedCandidate | null,
): boolean {
  if (payload === null || candidate === null || !usesChange(payload.type)) return false;
  const addressed = state.known.alerts.filter((alert) => candidate.addresses.includes(alert.id));
  if (addressed.length === 0) return false;
  return addressed.every(
    (alert) => alert.isManaged || (alert.hit !== null && !state.known.pairHits.includes(alert.hit)),
  );
}

function failureReasons(judged: StepJudgement, parsed: ParseVerdict): readonly string[] {
  return [
    ...(parsed.action === null ? [parsed.reason === "" ? "unparsable" : parsed.reason] : []),
    ...judged.verdict.hard.map((hit) => `${hit.id}: ${hit.text}`),
    ...judged.flags.map((flag) => `${flag.id} (${flag.level})`),
  ];
}

/** Legality by candidate, for the debugging switch. */
function actionMask(state: EpisodeState): readonly boolean[] {
  return state.assessment.candidates.map((each) => each.isLegal);
}

/** The environment shell: a simulator with its episode. */
export type PolyGuardEnv = SimulatorEnv<EpisodeState, StepAction, Observation, ResetOptions>;

/** A new environment on shared parts. @param seed of the sequence for resets without one */
export function makePolyGuardEnv(parts: PolyGuardParts, seed = 0): PolyGuardEnv {
  return new SimulatorEnv(POLYGUARD_ID, new PolyGuardSimulator(parts), seed);
}
