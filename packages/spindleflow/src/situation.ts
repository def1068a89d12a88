import { PraxisError, type SyncEnv } from "@praxis/env";
import { cosine } from "./bank/bank-index.ts";
import { graphDepth } from "./engine/graph.ts";
import { similarityNow } from "./engine/modes.ts";
import { openConflicts, openFailures } from "./engine/run.ts";
import { playedBy } from "./env.ts";
import { worldOf } from "./episode.ts";
import { readClass } from "./read-text.ts";
import { inspectText } from "./scratchpad.ts";
import { expectedSpecialists, seatText, taskText } from "./shift/shift.ts";

/** Cues whose likeness is told for each text. */
const TOLD_CUES = ["senior", "junior", "marketing", "experimental"] as const;

/** What a text says of one specialist, read from the text alone. */
export interface SeatReading {
  readonly slot: number;
  /** Cosine of the text with the task's as it stands, −1 … 1. */
  readonly similarity: number;
  /** Skills that the text claims, by name. Claims may be false. */
  readonly claims: readonly string[];
  /** Cosine of the text with words of each cue, −1 … 1. */
  readonly cues: Readonly<Record<(typeof TOLD_CUES)[number], number>>;
  /** Patterns of text that speaks to its reader instead of describing. */
  readonly flags: readonly string[];
}

/** Where a task stands, as far as an orchestrator can know it. Plain data. */
export interface Situation {
  /** Class read from the task's text, and how many specialists such a task usually calls for. */
  readonly readClass: string;
  readonly usualSpecialists: number;
  readonly clarified: boolean;
  readonly taskFlags: readonly string[];
  readonly tier: number;
  readonly slaMs: number;
  readonly elapsedMs: number;
  readonly costUnits: number;
  readonly openConflicts: number;
  readonly openFailures: number;
  readonly depth: number;
  readonly maxDepth: number;
  readonly stepsLeft: number;
  readonly seats: readonly (SeatReading | null)[];
}

function stateOf(env: SyncEnv) {
  const { index, state } = playedBy(env);
  if (state === null) throw new PraxisError("RESET_NEEDED", "No episode has begun. Call reset first.");
  return { index, state };
}

/** The public facts of the task in hand, with what each text says. Nothing hidden is read. Throws RESET_NEEDED before a reset. */
export function describeSituation(env: SyncEnv): Situation {
  const { index, state } = stateOf(env);
  const { run, shift, config } = state;
  const world = worldOf(state);
  const { task } = taskText(index, shift.tasks[state.taskIndex]!);
  const text = run.clarified ? task.clarifiedText : task.text;
  const readAs = readClass(index, text);
  const similarity = similarityNow(world, run);
  return {
    readClass: readAs,
    usualSpecialists: expectedSpecialists(readAs, "chain"),
    clarified: run.clarified,
    taskFlags: inspectText(text).flags,
    tier: shift.tier,
    slaMs: world.task.slaMs,
    elapsedMs: run.elapsedMs,
    costUnits: run.costUnits,
    openConflicts: openConflicts(run),
    openFailures: openFailures(run),
    depth: graphDepth(run.edges),
    maxDepth: config.maxDelegationDepth,
    stepsLeft: config.maxStepsPerTask - run.steps,
    seats: shift.seats.map((seat, slot) => {
      if (seat === null) return null;
      const { specialist, vector } = seatText(index, seat);
      const { claimBits } = shift.members[slot]!;
      return {
        slot,
        similarity: similarity[slot]!,
        claims: index.bank.skills.filter((_, k) => (claimBits & (1 << k)) !== 0).map(({ name }) => name),
        cues: Object.fromEntries(
          TOLD_CUES.map((cue) => [cue, cosine(vector, index.bank.vectors.cue(cue))]),
        ) as SeatReading["cues"],
        flags: inspectText(specialist.text).flags,
      };
    }),
  };
}

/** What had been hidden of a shift. Plain data. */
export interface ShiftTruth {
  readonly tasks: readonly {
    readonly text: string;
    readonly class: string;
    readonly shape: string;
    readonly skills: readonly { readonly name: string; readonly weight: number }[];
    readonly expected: number;
  }[];
  /** Per slot; competence in the skills that any task of the shift needed, by name, 0 … 1. */
  readonly seats: readonly ({
    readonly slot: number;
    readonly competence: Readonly<Record<string, number>>;
    /** Probability that a call fails. */
    readonly failure: number;
    /** Mean time of a call on a whole task, ms. */
    readonly latencyMs: number;
  } | null)[];
}

/** What was true in a shift that has ended. Throws PRECONDITION_FAILED while it is played: then it would give the answers away. */
export function revealTruth(env: SyncEnv): ShiftTruth {
  const { index, state } = stateOf(env);
  const { shift } = state;
  if (state.tasksEnded < shift.tasks.length)
    throw new PraxisError(
      "PRECONDITION_FAILED",
      "The shift is still being played. Its truth is told after its last task.",
    );
  const nameOf = (skill: number): string => index.bank.skills[skill]!.name;
  const needed = [...new Set(shift.tasks.flatMap(({ world }) => world.skills))].sort((a, b) => a - b);
  return {
    tasks: shift.tasks.map((task) => ({
      text: taskText(index, task).task.text,
      class: task.world.class,
      shape: task.world.shape,
      skills: task.world.skills.map((skill, k) => ({ name: nameOf(skill), weight: task.world.weights[k]! })),
      expected: task.world.expected,
    })),
    seats: shift.seats.map((seat, slot) => {
      const member = seat === null ? null : shift.members[slot]!;
      if (member === null) return null;
      return {
        slot,
        competence: Object.fromEntries(needed.map((skill) => [nameOf(skill), member.competence[skill]!])),
        failure: member.failure,
        latencyMs: member.latencyMs,
      };
    }),
  };
}
