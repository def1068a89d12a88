import type { TaskClass } from "../bank/bank.ts";
import type { CallRecord } from "../engine/log.ts";
import type { Member, TaskWorld, World } from "../engine/world.ts";
import { type EpisodeState, worldOf } from "../episode.ts";
import { type Decision, decide } from "../names.ts";
import { makeGeneralist, seatText, taskText } from "../shift/shift.ts";
import { MemberBelief } from "./belief.ts";
import { type Effort, planByRollout } from "./rollout.ts";
import type { Scene, Script } from "./script.ts";

/** Effort of the planners. `assumption:` less than the reference's, as beliefs are coarser than rollouts. */
const PLANNER_EFFORT: Effort = { firstRollouts: 4, finalists: 8, finalRollouts: 24, margin: 0.004 };
/** Difficulty that a class suggests: the middle of its range. */
const CLASS_DIFFICULTY: Readonly<Record<TaskClass, number>> = {
  atomic: 0.2,
  simple: 0.33,
  moderate: 0.48,
  complex: 0.65,
  enterprise: 0.75,
};
/** Worth of resolving doubt about a specialist while tasks remain. `assumption:` small beside a call's gain. */
const CURIOSITY = 0.004;

/** How long a planner keeps what it saw. */
export type PlannerMemory = "none" | "task" | "shift";

/** A certainty-equivalent planner: plans by rollouts in the world that it believes in. */
class Planner implements Script {
  readonly #memory: PlannerMemory;
  #beliefs: (MemberBelief | null)[] | null = null;
  #taskIndex = -1;
  #houseNeed: number | null = null;
  /** Words of vagueness stand in the text in hand. */
  #isVague = false;

  constructor(memory: PlannerMemory) {
    this.#memory = memory;
  }

  choose(scene: Scene): Decision {
    const { state, index, rng } = scene;
    this.#prepare(scene);
    const { task } = taskText(index, state.shift.tasks[state.taskIndex]!);
    const needKnown = this.#memory === "shift" && this.#houseNeed !== null;
    if (!state.run.clarified && state.run.steps === 0 && task.vague && !task.urgent && !needKnown)
      return decide("clarifyTask");
    this.#isVague = task.vague;
    const world = this.#world(state);
    const left = state.shift.tasks.length - state.taskIndex - 1;
    const curious = this.#memory === "shift" && left > 0;
    return planByRollout(world, believedRun(state, world), rng, PLANNER_EFFORT, (decision) => {
      if (!curious) return 0;
      return decision.slots.reduce(
        (sum, slot) => sum + (state.run.called[slot] === 1 ? 0 : CURIOSITY * this.#beliefs![slot]!.uncertainty()),
        0,
      );
    });
  }

  seen(before: EpisodeState, _after: EpisodeState, info: Readonly<Record<string, unknown>>): void {
    if (this.#memory === "none" || this.#beliefs === null) return;
    const decision = info.action as Decision | null;
    if (decision === null) return;
    const real = worldOf(before);
    if (decision.meta === "clarifyTask") {
      const shown = real.task.requirements.find(({ skill, named }) => skill !== named);
      if (shown !== undefined) this.#houseNeed = shown.skill;
    }
    const task = this.#understood(before, real.task, this.#isVague);
    for (const call of info.calls as readonly CallRecord[]) {
      if (typeof call.callee !== "number") continue;
      const belief = this.#beliefs[call.callee];
      if (belief === null || belief === undefined || call.mode === "floor" || call.mode === "deepen") continue;
      belief.learnReliability(call.status !== "ok");
      if (call.status !== "ok") continue;
      if (call.mode !== "part") belief.learnSpeed(call.endMs - call.startMs);
      if (call.score !== null && call.mode !== "part" && call.mode !== "consult")
        belief.learnScore(real, task, call.score);
    }
  }

  #prepare({ index, state }: Scene): void {
    const forgets = this.#beliefs === null || (this.#memory !== "shift" && this.#taskIndex !== state.taskIndex);
    this.#taskIndex = state.taskIndex;
    if (!forgets) return;
    this.#beliefs = state.shift.seats.map((seat, slot) => {
      if (seat === null) return null;
      const { claimBits, nearestSkill } = state.shift.members[slot]!;
      return new MemberBelief(seatText(index, seat).specialist, { claimBits, nearestSkill });
    });
    if (this.#memory !== "shift") this.#houseNeed = null;
  }

  /** The task as its text tells it: needs named, and the house need once it is known and the text is vague. */
  #understood(state: EpisodeState, task: TaskWorld, isVague: boolean): TaskWorld {
    const needs = new Map<number, number>();
    for (const { skill, named, weight } of task.requirements) {
      const shown = state.run.clarified ? skill : named;
      if (shown !== null) needs.set(shown, (needs.get(shown) ?? 0) + weight);
    }
    const skills = [...needs.keys()];
    if (!state.run.clarified && this.#houseNeed !== null && !needs.has(this.#houseNeed) && isVague) {
      needs.set(this.#houseNeed, 0.5);
      skills.push(this.#houseNeed);
    }
    const total = [...needs.values()].reduce((sum, weight) => sum + weight, 0) || 1;
    return {
      ...task,
      skills,
      weights: skills.map((skill) => needs.get(skill)! / total),
      difficulty: CLASS_DIFFICULTY[task.class],
      affinity: state.shift.seats.map((_, slot) => {
        const claims = state.shift.members[slot]?.claimBits ?? 0;
        return skills.map((skill) => ((claims & (1 << skill)) !== 0 ? 1 : 0));
      }),
    };
  }

  #world(state: EpisodeState): World {
    const real = worldOf(state);
    const members: (Member | null)[] = this.#beliefs!.map((belief) => belief?.expected() ?? null);
    return {
      ...real,
      members: [...members, makeGeneralist(state.config)],
      task: this.#understood(state, real.task, this.#isVague),
    };
  }
}

/** The run as the planner believes it: coverage scaled to what was measured, in the needs that it sees. */
function believedRun(state: EpisodeState, world: World): EpisodeState["run"] {
  const { run } = state;
  const needs = world.task.skills.length;
  const fit = <Value>(values: readonly Value[], rest: Value): Value[] =>
    Array.from({ length: needs }, (_, j) => values[j] ?? rest);
  const q = Array.from({ length: needs }, () => 0);
  run.own.forEach((own, slot) => {
    if (own === null) return;
    const member = world.members[slot]!;
    world.task.skills.forEach((skill, j) => {
      q[j] = Math.max(q[j]!, member.competence[skill]!);
    });
  });
  const believed = q.reduce((sum, value, j) => sum + value * world.task.weights[j]!, 0);
  const measured = run.outputs > 0 ? run.measured : 0;
  // Half measured, half believed: either alone is noisy. assumption: equal weights.
  const scale = believed > 0 ? (0.5 * believed + 0.5 * measured) / believed : 0;
  return {
    ...run,
    q: q.map((value) => Math.min(1, value * scale)),
    stance: fit(run.stance, -1),
    dispute: fit(run.dispute, 0),
    own: run.own.map((own) => (own === null ? null : q.slice())),
  };
}

/** Planners that read texts and outcomes only: without memory, with memory within a task, over the shift. One per shift. */
export const PLANNERS: Readonly<Record<string, () => Script>> = {
  textPlan: () => new Planner("none"),
  taskPlan: () => new Planner("task"),
  beliefPlan: () => new Planner("shift"),
};
