import { PraxisError, type RngStreams } from "@praxis/env";
import {
  type BankSpecialist,
  type BankTask,
  type Clarity,
  DESK_COUNT,
  DESK_SKILLS,
  SKILL_COUNT,
  skillsOfDesk,
  TASK_CLASSES,
  type TaskClass,
} from "../bank/bank.ts";
import { type BankIndex, cosine, cosines } from "../bank/bank-index.ts";
import { type SpindleFlowConfig, tasksOfShift } from "../config.ts";
import type { Member, TaskWorld } from "../engine/world.ts";
import { EpisodeTierLock, type Tier, tierOfClass } from "../tiers.ts";
import { drawMember, type TextTraits } from "./truth.ts";

/** A text that is not of the bank, with its vectors. Plain data. */
export interface ForeignTask {
  readonly task: BankTask;
  readonly vector: Float32Array;
  readonly clarifiedVector: Float32Array;
}

/** One task of a shift. Plain data. */
export interface ShiftTask {
  /** Index into the bank's tasks; null for a foreign text. */
  readonly bankIndex: number | null;
  readonly foreign: ForeignTask | null;
  readonly world: TaskWorld;
  /** Nearest skill of the text: the domain of path types. */
  readonly domain: number;
}

/** Who sits in a slot. Plain data. */
export interface Seat {
  /** Index into the bank's specialists; null for somebody spawned. */
  readonly bankIndex: number | null;
  readonly spawned: { readonly specialist: BankSpecialist; readonly vector: Float32Array } | null;
}

/** A shift: its tasks, its people and the hidden truth. Plain data, so that it can be saved. */
export interface Shift {
  readonly desk: number;
  readonly houseNeed: number;
  readonly tier: Tier;
  readonly sigma: number;
  readonly tasks: readonly ShiftTask[];
  /** Per slot; null = empty. */
  readonly seats: readonly (Seat | null)[];
  /** Slots, then the generalist. */
  readonly members: readonly (Member | null)[];
  /** The company, by bank index. */
  readonly company: readonly number[];
}

/** What a reset may fix of a shift. */
export interface ShiftRequest {
  /** Tasks by bank index or as foreign texts, instead of drawn ones. */
  readonly tasks: readonly (number | ForeignTask)[] | null;
  readonly class: TaskClass | null;
  /** Bank indices for the slots, in order, instead of a drawn roster. */
  readonly roster: readonly number[] | null;
  readonly tier: Tier | null;
}

const CLASS_EXPECTED: Readonly<Record<TaskClass, number>> = {
  atomic: 1,
  simple: 2,
  moderate: 3,
  complex: 4,
  enterprise: 5,
};
/** Open tasks call for two more: several styles are tried. */
const OPEN_EXTRA = 2;

/** The text's task and its vectors, before and after clarification. */
export function taskText(index: BankIndex, task: Pick<ShiftTask, "bankIndex" | "foreign">): ForeignTask {
  if (task.foreign !== null) return task.foreign;
  const bankTask = index.bank.tasks[task.bankIndex!]!;
  const { vectors } = index.bank;
  return {
    task: bankTask,
    vector: vectors.taskRow(bankTask.row),
    clarifiedVector: vectors.taskRow(bankTask.clarifiedRow),
  };
}

/** Specialist in a seat and the vector of the text. */
export function seatText(
  index: BankIndex,
  seat: Seat,
): { readonly specialist: BankSpecialist; readonly vector: Float32Array } {
  if (seat.spawned !== null) return seat.spawned;
  const specialist = index.bank.specialists[seat.bankIndex!]!;
  return { specialist, vector: index.bank.vectors.specialistRow(specialist.row) };
}

/** Expected number of specialists for a class and shape. */
export function expectedSpecialists(name: TaskClass, shape: BankTask["shape"]): number {
  return CLASS_EXPECTED[name] + (shape === "open" ? OPEN_EXTRA : 0);
}

/** Time within which a task is wanted, ms. */
function slaOf(config: SpindleFlowConfig, name: TaskClass, urgent: boolean): number {
  return config.timing.slaMs[TASK_CLASSES.indexOf(name)]! * (urgent ? config.timing.urgentShare : 1);
}

function drawTasks(
  index: BankIndex,
  config: SpindleFlowConfig,
  streams: RngStreams,
  desk: number,
  houseNeed: number,
  only: TaskClass | null,
): number[] {
  const mix = config.phaseMix[config.phase - 1]!;
  return Array.from({ length: tasksOfShift(config) }, (_, i) => {
    const rng = streams.keyed("task", i);
    const drawn = TASK_CLASSES[rng.weightedIndex(mix)]!;
    const u = rng.uniform();
    let clarity: Clarity = "complete";
    if (u < config.hiddenShare) clarity = "hidden";
    else if (u < config.hiddenShare + config.mistakenShare) clarity = "mistaken";
    return rng.choice(index.candidates(config.taskSplit, desk, only ?? drawn, clarity, houseNeed));
  });
}

/** Bits of the skills that a text claims, and its nearest skill. */
function textTraits(index: BankIndex, config: SpindleFlowConfig, specialist: number): TextTraits {
  let claimBits = 0;
  for (let k = 0; k < SKILL_COUNT; k++) if (index.skillCosine(specialist, k) > config.claimCosine) claimBits |= 1 << k;
  return { claimBits, nearestSkill: index.nearestSkill(specialist) };
}

/** The generalist: everybody's last resort, whose score a team has to beat. */
export function makeGeneralist(config: SpindleFlowConfig): Member {
  const { competence, headroom, latencyMs, failure } = config.simulation.generalist;
  return {
    competence: new Array<number>(SKILL_COUNT).fill(competence),
    school: new Array<number>(SKILL_COUNT).fill(0),
    latencyMs,
    failure,
    timeoutShare: 0,
    headroom,
    cost: latencyMs / 4000,
    claimBits: 0,
    nearestSkill: 0,
  };
}

function drawRoster(
  index: BankIndex,
  config: SpindleFlowConfig,
  streams: RngStreams,
  tasks: readonly ForeignTask[],
): { readonly company: number[]; readonly slots: (number | null)[] } {
  const rng = streams.keyed("roster");
  const company = rng.shuffled(index.specialistsOf(config.specialistSplit)).slice(0, config.companySize);
  const mean = new Float32Array(index.bank.vectors.dim);
  for (const { vector } of tasks) for (let i = 0; i < mean.length; i++) mean[i] = mean[i]! + vector[i]! / tasks.length;
  const near = new Float64Array(company.length);
  cosines(
    mean,
    company.map((each) => index.bank.vectors.specialistRow(index.bank.specialists[each]!.row)),
    near,
  );
  const ranked = company
    .map((_, i) => i)
    .sort((i, j) => near[j]! - near[i]! || company[i]! - company[j]!)
    .map((i) => company[i]!);
  const explorers = Math.min(config.explorers, config.maxSpecialists - 1);
  const chosen = ranked.slice(0, config.maxSpecialists - explorers);
  const rest = rng.shuffled(ranked.slice(chosen.length)).slice(0, explorers);
  const people: (number | null)[] = [...chosen, ...rest];
  while (people.length < config.maxSpecialists) people.push(null);
  return { company, slots: rng.shuffled(people) };
}

/** How well one filled slot may stand in for another, whatever the task; lower groups and orders first. */
interface StandIn {
  /** 0 named as a substitute, 1 shares a class of tasks, 2 neither: then the task's own similarity orders. */
  readonly group: 0 | 1 | 2;
  readonly order: number;
}

/** {@link StandIn} of every other slot for every slot, `slot * seats + other`: worked out once for all tasks of a shift. */
export function standInsOf(index: BankIndex, seats: readonly (Seat | null)[]): readonly (StandIn | null)[] {
  const people = seats.map((seat) => (seat === null ? null : seatText(index, seat)));
  return people.flatMap((failed, slot) =>
    people.map((candidate, other): StandIn | null => {
      if (failed === null || candidate === null || slot === other) return null;
      const named = failed.specialist.fallbackTo.indexOf(candidate.specialist.id);
      if (named >= 0) return { group: 0, order: named };
      const shares = candidate.specialist.affinity.some((each) => failed.specialist.affinity.includes(each));
      return shares ? { group: 1, order: -cosine(candidate.vector, failed.vector) } : { group: 2, order: 0 };
    }),
  );
}

/** Who may take the place of a slot that failed, best first. */
function substitutesOf(
  slot: number,
  size: number,
  standIns: readonly (StandIn | null)[],
  similarity: readonly number[],
): number[] {
  const others: number[] = [];
  for (let other = 0; other < size; other++) if (standIns[slot * size + other] !== null) others.push(other);
  return others.sort((a, b) => {
    const x = standIns[slot * size + a]!;
    const y = standIns[slot * size + b]!;
    if (x.group !== y.group) return x.group - y.group;
    return (x.group === 2 ? similarity[b]! - similarity[a]! : x.order - y.order) || a - b;
  });
}

/** What the engine needs to know of a task, for the people in the slots. */
export function makeTaskWorld(
  index: BankIndex,
  config: SpindleFlowConfig,
  text: ForeignTask,
  seats: readonly (Seat | null)[],
  standIns: readonly (StandIn | null)[],
): TaskWorld {
  const { task } = text;
  const people = seats.map((seat) => (seat === null ? null : seatText(index, seat)));
  const near = (vector: Float32Array): number[] => {
    const filled = people.flatMap((each) => (each === null ? [] : [each.vector]));
    const found = new Float64Array(filled.length);
    cosines(vector, filled, found);
    let next = 0;
    return people.map((each) => (each === null ? 0 : found[next++]!));
  };
  const skills = task.requirements.map((requirement) => requirement.skill);
  const similarity = near(text.vector);
  const affinity = seats.map((seat, slot) =>
    skills.map((skill) => {
      if (seat === null) return 0;
      if (seat.bankIndex !== null) return index.skillCosine(seat.bankIndex, skill);
      return cosine(people[slot]!.vector, index.bank.vectors.skill(skill));
    }),
  );
  return {
    skills,
    weights: task.requirements.map((requirement) => requirement.weight),
    requirements: task.requirements,
    difficulty: task.difficulty,
    shape: task.shape,
    class: task.class,
    urgent: task.urgent,
    slaMs: slaOf(config, task.class, task.urgent),
    expected: expectedSpecialists(task.class, task.shape),
    similarity,
    clarifiedSimilarity: task.clarifiedRow === task.row ? similarity : near(text.clarifiedVector),
    affinity,
    substitutes: seats.map((_, slot) => substitutesOf(slot, seats.length, standIns, similarity)),
  };
}

/** Draws a shift. Streams: `task` per task, `roster`, `truth` per specialist, so that none shifts another. */
export function drawShift(
  index: BankIndex,
  config: SpindleFlowConfig,
  streams: RngStreams,
  request: ShiftRequest,
): Shift {
  const rng = streams.keyed("task");
  const desk = rng.integer(0, DESK_COUNT - 1);
  const houseNeed = skillsOfDesk(desk)[rng.integer(0, DESK_SKILLS - 1)]!;
  const dearer = rng.bernoulli(config.moderateTier2Share);
  const chosen = request.tasks ?? drawTasks(index, config, streams, desk, houseNeed, request.class);
  const texts = chosen.map((each) =>
    typeof each === "number" ? taskText(index, { bankIndex: each, foreign: null }) : each,
  );
  if (texts.length === 0) throw new PraxisError("VALIDATION_ERROR", "A shift needs at least one task.");
  const { company, slots } =
    request.roster === null
      ? drawRoster(index, config, streams, texts)
      : {
          company: [...request.roster],
          slots: Array.from({ length: config.maxSpecialists }, (_, slot) => request.roster![slot] ?? null),
        };
  const seats = slots.map((bankIndex): Seat | null => (bankIndex === null ? null : { bankIndex, spawned: null }));
  const members: (Member | null)[] = slots.map((bankIndex) =>
    bankIndex === null
      ? null
      : drawMember(
          streams.keyed("truth", bankIndex),
          index.bank.specialists[bankIndex]!,
          textTraits(index, config, bankIndex),
        ),
  );
  const standIns = standInsOf(index, seats);
  const tasks = texts.map((text, i): ShiftTask => {
    const each = chosen[i]!;
    return {
      bankIndex: typeof each === "number" ? each : null,
      foreign: typeof each === "number" ? null : each,
      world: makeTaskWorld(index, config, text, seats, standIns),
      domain: typeof each === "number" ? index.domainOfTask(each) : index.nearestSkillTo(text.vector),
    };
  });
  const classes = tasks.map(({ world }) => TASK_CLASSES.indexOf(world.class)).sort((a, b) => a - b);
  const median = TASK_CLASSES[classes[Math.floor((classes.length - 1) / 2)]!]!;
  const lock = new EpisodeTierLock(
    request.tier ?? (config.evaluationTier as Tier | null) ?? tierOfClass(median, dearer),
    config.tierSigma,
  );
  return {
    desk,
    houseNeed,
    tier: lock.tier,
    sigma: lock.sigmaFor(lock.tier),
    tasks,
    seats,
    members: [...members, makeGeneralist(config)],
    company,
  };
}
