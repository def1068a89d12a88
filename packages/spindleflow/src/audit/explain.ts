import { PraxisError } from "@praxis/env";
import { cosine } from "../bank/bank-index.ts";
import { applyDecision, stepReward } from "../engine/apply.ts";
import { HashNoise } from "../engine/noise.ts";
import { trueQuality } from "../engine/quality.ts";
import { expectedReward, type TaskReward } from "../engine/reward.ts";
import { cloneRun } from "../engine/run.ts";
import type { SpindleFlowParts } from "../env.ts";
import { type EpisodeState, worldOf } from "../episode.ts";
import { type Decision, decide, MODES } from "../names.ts";
import { seatText, taskText } from "../shift/shift.ts";
import type { AuditChain, AuditStep } from "./chain.ts";
import { replayAudit } from "./verify.ts";

/** Phrases named for each specialist. */
const PHRASES = 3;
/** Futures over which a what-if is averaged. `assumption:` its standard error is then about a hundredth of quality. */
const FUTURES = 48;

/** Something that a specialist did earlier in the shift, from the records. */
export interface EarlierResult {
  readonly task: number;
  readonly status: "ok" | "timeout" | "error";
  /** Own measured score; null without an output of its own. */
  readonly score: number | null;
}

/** Why one specialist was called, and what it was worth. */
export interface CalledSpecialist {
  readonly slot: number;
  readonly id: string;
  /** Cosine of the two texts. */
  readonly similarity: number;
  /** Phrases of the task's text nearest to the specialist's text. */
  readonly phrases: readonly { readonly phrase: string; readonly cosine: number }[];
  /** Expected true quality with this call less without it, everything else equal; averaged over common futures. */
  readonly addedQuality: number;
  readonly earlier: readonly EarlierResult[];
}

/** Why one step was taken. */
export interface StepExplanation {
  readonly task: number;
  readonly step: number;
  readonly decision: Decision | null;
  readonly probability: number | null;
  readonly alternatives: readonly string[];
  readonly called: readonly CalledSpecialist[];
  /** For calls in a mode: each mode's expected R if one stopped after it, best first; the same people, common futures. */
  readonly modes: readonly { readonly mode: Decision["mode"]; readonly expectedReward: number }[];
  /** For stops: the best further single call and what it would have added to expected R; null with nobody left. */
  readonly furtherCall: { readonly slot: number; readonly id: string; readonly gain: number } | null;
  readonly measuredBefore: number;
  readonly measuredAfter: number;
  readonly reward: TaskReward | null;
  /** One sentence, from these facts alone. */
  readonly sentence: string;
}

/** Why an episode went as it did. Plain data. */
export interface EpisodeExplanation {
  readonly episodeId: string;
  readonly summary: string;
  readonly tasks: readonly {
    readonly task: number;
    readonly text: string;
    readonly steps: readonly StepExplanation[];
  }[];
}

/** Mean of a figure of the work after a decision, over the same futures for every decision. */
function foresee(
  state: EpisodeState,
  decision: Decision,
  figure: (after: ReturnType<typeof cloneRun>, paid: number) => number,
): number {
  const world = worldOf(state);
  const noise = new HashNoise();
  let sum = 0;
  for (let future = 0; future < FUTURES; future++) {
    noise.begin(future);
    const run = cloneRun(state.run);
    applyDecision({ world, run, noise, log: null }, decision);
    sum += figure(run, stepReward(world, state.run, run, decision));
  }
  return sum / FUTURES;
}

const idOf = (parts: SpindleFlowParts, state: EpisodeState, slot: number): string =>
  seatText(parts.index, state.shift.seats[slot]!).specialist.id;

/** Phrases of the sector that stand in the task's text, by their nearness to a specialist's text. */
function nearestPhrases(parts: SpindleFlowParts, state: EpisodeState, slot: number): CalledSpecialist["phrases"] {
  const { bank } = parts.index;
  const { task } = taskText(parts.index, state.shift.tasks[state.taskIndex]!);
  const text = ` ${(state.run.clarified ? task.clarifiedText : task.text).toLowerCase()} `;
  const { vector } = seatText(parts.index, state.shift.seats[slot]!);
  return bank.skills
    .flatMap((skill) =>
      skill.phrases.flatMap((phrase, i) =>
        text.includes(phrase.toLowerCase())
          ? [{ phrase, cosine: cosine(vector, bank.vectors.phrase(skill.index, i)) }]
          : [],
      ),
    )
    .sort((a, b) => b.cosine - a.cosine)
    .slice(0, PHRASES);
}

function explainCall(
  parts: SpindleFlowParts,
  state: EpisodeState,
  decision: Decision,
  slot: number,
  earlier: readonly EarlierResult[],
): CalledSpecialist {
  const world = worldOf(state);
  const quality = (run: ReturnType<typeof cloneRun>): number => (run.outputs === 0 ? 0 : trueQuality(world, run));
  const rest = decision.slots.filter((each) => each !== slot);
  // Without its lead, or the only consultee, a consultation can't take place at all.
  const stands =
    rest.length > 0 && (decision.meta !== "delegateSubtask" || (slot !== decision.slots[0] && rest.length > 1));
  const without = stands ? foresee(state, { ...decision, slots: rest }, quality) : quality(state.run);
  const { similarity, clarifiedSimilarity } = world.task;
  return {
    slot,
    id: idOf(parts, state, slot),
    similarity: (state.run.clarified ? clarifiedSimilarity : similarity)[slot]!,
    phrases: nearestPhrases(parts, state, slot),
    addedQuality: foresee(state, decision, quality) - without,
    earlier,
  };
}

function compareModes(state: EpisodeState, decision: Decision): StepExplanation["modes"] {
  if (decision.meta !== "callSpecialist") return [];
  const world = worldOf(state);
  return MODES.map((mode) => ({
    mode,
    expectedReward: foresee(state, { ...decision, mode }, (run, paid) => paid + expectedReward(world, run, true)),
  })).sort((a, b) => b.expectedReward - a.expectedReward);
}

function bestFurtherCall(parts: SpindleFlowParts, state: EpisodeState): StepExplanation["furtherCall"] {
  const world = worldOf(state);
  const now = expectedReward(world, state.run, true);
  let best: StepExplanation["furtherCall"] = null;
  state.masks.slots.forEach((isAllowed, slot) => {
    if (!isAllowed) return;
    for (const mode of ["sequential", "iterative"] as const) {
      const call = decide("callSpecialist", [slot], mode);
      const gain = foresee(state, call, (run, paid) => paid + expectedReward(world, run, true)) - now;
      if (best === null || gain > best.gain) best = { slot, id: idOf(parts, state, slot), gain };
    }
  });
  return best;
}

const signed = (x: number): string => `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(3)}`;

function sentenceOf(step: Omit<StepExplanation, "sentence">): string {
  const { decision, called, modes, furtherCall } = step;
  const odds = step.probability === null ? "" : ` (probability ${step.probability.toFixed(2)})`;
  if (decision === null) return "The choice was not legal; nothing was done.";
  if (decision.meta === "stop") {
    if (furtherCall === null) return `It stopped${odds}: nobody was left to call.`;
    const verdict = furtherCall.gain < 0 ? "would have cost more than it brought" : "would still have paid";
    return `It stopped${odds}: the best further call, ${furtherCall.id}, ${verdict} (${signed(furtherCall.gain)} R).`;
  }
  if (called.length === 0) return `It chose ${decision.meta}${odds}.`;
  const people = called.map(({ id, phrases, addedQuality, earlier }) => {
    const words = phrases.length === 0 ? "no phrase of the task" : `“${phrases[0]!.phrase}”`;
    const known = earlier.filter(({ score }) => score !== null);
    const past =
      earlier.length === 0
        ? ""
        : `, ${earlier.length} earlier ${earlier.length === 1 ? "call" : "calls"}${known.length === 0 ? "" : ` at ${(known.reduce((sum, each) => sum + each.score!, 0) / known.length).toFixed(2)}`}`;
    return `${id} (nearest ${words}${past}; worth ${signed(addedQuality)} Q)`;
  });
  const place = modes.findIndex(({ mode }) => mode === decision.mode);
  const mode =
    place < 0 ? "" : ` in mode ${decision.mode}, ${place === 0 ? "the best" : `number ${place + 1}`} of seven here,`;
  return `It chose ${decision.meta}${odds}${mode} with ${people.join("; ")}; measured quality ${step.measuredBefore.toFixed(2)} → ${step.measuredAfter.toFixed(2)}.`;
}

/**
 * Explains a log from facts alone, by playing it again: whom and why, which mode, why it stopped. What-ifs know the simulated
 * truth and use the same futures for every alternative, so they say what a choice was worth, not what the policy thought.
 * The log should have passed `verifyAudit`; throws INVALID_TRACE when its steps come out otherwise.
 */
export function explainAudit(parts: SpindleFlowParts, log: AuditChain): EpisodeExplanation {
  const tasks: { task: number; text: string; steps: StepExplanation[] }[] = [];
  const results = new Map<string, EarlierResult[]>();
  for (const { record, replayed, before } of replayAudit(parts, log)) {
    if (replayed.hash !== record.hash)
      throw new PraxisError(
        "INVALID_TRACE",
        `A record of task ${record.kind === "step" ? record.task + 1 : 1} comes out otherwise when it is played again. Verify the log first.`,
      );
    if (record.kind === "header" || before === null) continue;
    if (tasks.at(-1)?.task !== record.task)
      tasks.push({
        task: record.task,
        text: taskText(parts.index, before.shift.tasks[record.task]!).task.text,
        steps: [],
      });
    tasks.at(-1)!.steps.push(explainStep(parts, record, before, results));
    for (const edge of record.edges) {
      if (typeof edge.callee !== "number") continue;
      const id = idOf(parts, before, edge.callee);
      results.set(id, [...(results.get(id) ?? []), { task: record.task, status: edge.status, score: edge.score }]);
    }
  }
  const header = log.records[0]!;
  const ended = log.records.flatMap((record) =>
    record.kind === "step" && record.reward !== null ? [record.reward] : [],
  );
  const total = ended.reduce((sum, { reward }) => sum + reward, 0);
  const calls = log.records.reduce((sum, record) => sum + (record.kind === "step" ? record.edges.length : 0), 0);
  const late = ended.filter(({ inputs }) => inputs.elapsedMs > inputs.slaMs).length;
  return {
    episodeId: header.episodeId,
    summary: `${ended.length} tasks, ${calls} calls, R ${signed(total)} in all; ${late} late, mean true quality ${(ended.reduce((sum, { inputs }) => sum + inputs.trueQuality, 0) / Math.max(1, ended.length)).toFixed(2)}.`,
    tasks,
  };
}

function explainStep(
  parts: SpindleFlowParts,
  record: AuditStep,
  before: EpisodeState,
  results: ReadonlyMap<string, readonly EarlierResult[]>,
): StepExplanation {
  const { decision } = record.action;
  const facts = {
    task: record.task,
    step: record.step,
    decision,
    probability: record.actionProbability,
    alternatives: record.legalAlternatives,
    called:
      decision?.slots.map((slot) =>
        explainCall(parts, before, decision, slot, results.get(idOf(parts, before, slot)) ?? []),
      ) ?? [],
    modes: decision === null ? [] : compareModes(before, decision),
    furtherCall: decision?.meta === "stop" ? bestFurtherCall(parts, before) : null,
    measuredBefore: before.run.measured,
    measuredAfter: record.measuredQuality,
    reward: record.reward,
  };
  return { ...facts, sentence: sentenceOf(facts) };
}

/** An explanation as Markdown: the summary, then a list of steps for each task. */
export function renderExplanation({ episodeId, summary, tasks }: EpisodeExplanation): string {
  const lines = [`# ${episodeId}`, "", summary];
  for (const { task, text, steps } of tasks) {
    lines.push("", `## Task ${task + 1}`, "", `> ${text}`, "");
    for (const { step, sentence, reward } of steps) {
      lines.push(`${step}. ${sentence}`);
      if (reward === null) continue;
      const parts = Object.entries(reward.components).filter(([, value]) => Math.abs(value) > 1e-12);
      lines.push(
        "",
        `R ${signed(reward.reward)}: ${parts.map(([name, value]) => `${name} ${signed(value)}`).join(", ")}.`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}
