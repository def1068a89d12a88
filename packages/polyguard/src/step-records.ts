import type { Alignment } from "./actions/align.ts";
import type { ParseVerdict } from "./actions/parse.ts";
import { type ActionPayload, type OfferedCandidate, targetMedRef, usesChange } from "./actions/types.ts";
import type { EpisodeState, StepRecord } from "./episode.ts";
import { copyMemory } from "./observation/copy-memory.ts";
import type { HistoryEntry, Memory } from "./observation/types.ts";
import { observationIds } from "./reward/grounding.ts";
import type { StepJudgement } from "./reward/judge-step.ts";
import { copyClock, copyState } from "./world/copies.ts";
import type { WorldState } from "./world/types.ts";

/** The world with one step more on its clock. */
export function stepped(world: WorldState): WorldState {
  const next = copyState(world);
  const clock = copyClock(world.clock);
  clock.step++;
  clock.stepsLeft = Math.max(0, clock.stepsLeft - 1);
  next.clock = clock;
  return next;
}

/** The memory with the step written into its history. */
export function withStep(
  memory: Memory,
  state: EpisodeState,
  judged: StepJudgement,
  alignment: Alignment | null,
): Memory {
  const next = copyMemory(memory);
  next.history = [...memory.history, historyEntry(state, judged, alignment)];
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

/** What `explain_reward` will tell of the step. @param fixedReward of a step that was not played in time; null = as scored */
export function recordOf(
  state: EpisodeState,
  { score, flags }: StepJudgement,
  keepReward: number,
  fixedReward: number | null,
): StepRecord {
  return {
    step: state.world.clock.step,
    reward: fixedReward ?? score.reward,
    voidedReward: fixedReward ?? score.voidedReward,
    keepReward,
    components: score.components,
    channels: score.channels,
    gates: score.gates,
    flags,
  };
}

/** Ids shown before and now; the same set when nothing new is shown. */
export function shownIds(before: ReadonlySet<string>, known: EpisodeState["known"]): ReadonlySet<string> {
  const fresh = [...observationIds(known)].filter((id) => !before.has(id));
  return fresh.length === 0 ? before : new Set([...before, ...fresh]);
}

/**
 * A review is justified when there is need to abstain and no legal offer is better than KEEP; not while the task itself waits
 * for an answer that the course value says nothing about.
 */
export function isReviewJustified(state: EpisodeState): boolean {
  const { assessment, sub } = state;
  if (sub.hasOpenQuestion?.(state) === true) return false;
  return assessment.needsAbstention && assessment.best <= assessment.keep.utility + 1e-12;
}

/** A change that answers alerts, every one of which is false or managed. */
export function isUselessChange(
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

/** What the step's info tells of its judgement. Snake case: it travels as it is. */
export function judgementInfo(
  judged: StepJudgement,
  parsed: ParseVerdict,
  keepReward: number,
): Record<string, unknown> {
  const { score, flags } = judged;
  const { hard, soft, facts, legal } = judged.verdict;
  return {
    rewardComponents: score.components,
    channels: score.channels,
    keep_reward: keepReward,
    gates: score.gates,
    violations: hard.map((hit) => ({ kind: hit.id, message: hit.text, facts: hit.facts })),
    checks: soft.map((hit) => ({ id: hit.id, message: hit.text })),
    verifier: { legal, hard: hard.map((hit) => hit.id), soft: soft.map((hit) => hit.id), facts },
    flags,
    failure_reasons: failureReasons(judged, parsed),
  };
}

function failureReasons(judged: StepJudgement, parsed: ParseVerdict): readonly string[] {
  return [
    ...(parsed.action === null ? [parsed.reason === "" ? "unparsable" : parsed.reason] : []),
    ...judged.verdict.hard.map((hit) => `${hit.id}: ${hit.text}`),
    ...judged.flags.map((flag) => `${flag.id} (${flag.level})`),
  ];
}

/** Legality by candidate, for the debugging switch. */
export function actionMask(state: EpisodeState): readonly boolean[] {
  return state.assessment.candidates.map((each) => each.isLegal);
}
