import type { Rng } from "@praxis/env";
import { type BankSpecialist, SKILL_COUNT } from "../bank/bank.ts";
import { type BankIndex, cosine, cosines } from "../bank/bank-index.ts";
import type { SpindleFlowConfig } from "../config.ts";
import type { TaskRun } from "../engine/run.ts";
import type { Member } from "../engine/world.ts";
import { makeTaskWorld, type Seat, type Shift, standInsOf, taskText } from "./shift.ts";
import { TRUTH } from "./truth.ts";

/** Competence of somebody made to measure, in the two skills asked for. `assumption:` a broad specialist's, a little lower. */
const SPAWNED_COMPETENCE = [0.5, 0.65] as const;
const SPAWNED_LATENCY_MS = 3000;

/** Highest cosine of the task's text with anybody in the company or spawned. */
function bestInCompany(index: BankIndex, shift: Shift, taskVector: Float32Array): number {
  const people = shift.company.map((each) => index.bank.vectors.specialistRow(index.bank.specialists[each]!.row));
  const near = new Float64Array(people.length);
  cosines(taskVector, people, near);
  let best = -1;
  for (const each of near) best = Math.max(best, each);
  for (const seat of shift.seats)
    if (seat !== null && seat.spawned !== null) best = Math.max(best, cosine(taskVector, seat.spawned.vector));
  return best;
}

/** Seat for somebody new: an empty one, else the uncalled one least like the task; null when all are called. */
function seatForSpawned(shift: Shift, run: TaskRun, similarity: readonly number[]): number | null {
  const empty = shift.seats.indexOf(null);
  if (empty >= 0) return empty;
  let worst = -1;
  for (let slot = 0; slot < shift.seats.length; slot++)
    if (run.called[slot] === 0 && (worst < 0 || similarity[slot]! < similarity[worst]!)) worst = slot;
  return worst < 0 ? null : worst;
}

/** What spawning looks at. */
export interface SpawnScene {
  readonly index: BankIndex;
  readonly config: SpindleFlowConfig;
  readonly shift: Shift;
  readonly taskIndex: number;
  readonly run: TaskRun;
}

/**
 * True if somebody in the company, or spawned, is at least as near to the task in hand as `threshold`, or if spawning is off
 * and nobody asks. Those seated come first: they are the nearest, and their cosines are known.
 */
export function companyFits(scene: SpawnScene, threshold: number): boolean {
  const { index, config, shift, taskIndex, run } = scene;
  if (!config.spawn.enabled) return true;
  const { similarity, clarifiedSimilarity } = shift.tasks[taskIndex]!.world;
  const near = run.clarified ? clarifiedSimilarity : similarity;
  if (shift.seats.some((seat, slot) => seat !== null && near[slot]! >= threshold)) return true;
  return bestInCompany(index, shift, vectorNow(scene)) >= threshold;
}

const vectorNow = ({ index, shift, taskIndex, run }: SpawnScene): Float32Array => {
  const text = taskText(index, shift.tasks[taskIndex]!);
  return run.clarified ? text.clarifiedVector : text.vector;
};

/** True if the guards of the roster hold, given that nobody fits: switched on, a seat is free, and not too many were made. */
export function maySpawn(scene: SpawnScene): boolean {
  const { config, shift, run, taskIndex } = scene;
  if (!config.spawn.enabled) return false;
  const spawned = shift.seats.filter((seat) => seat !== null && seat.spawned !== null).length;
  if (spawned >= config.spawn.maxSpawned) return false;
  return seatForSpawned(shift, run, shift.tasks[taskIndex]!.world.similarity) !== null;
}

/** The two skills that a new specialist should have: visible needs by weight, those first that nobody seated claims. */
function wantedSkills({ shift, taskIndex, run }: SpawnScene): readonly [number, number] {
  const { requirements } = shift.tasks[taskIndex]!.world;
  let claimed = 0;
  shift.members.slice(0, -1).forEach((member) => {
    claimed |= member?.claimBits ?? 0;
  });
  const visible = requirements
    .flatMap(({ skill, named, weight }) => {
      const shown = run.clarified ? skill : named;
      return shown === null ? [] : [{ skill: shown, weight, isCovered: (claimed & (1 << shown)) !== 0 }];
    })
    .sort((a, b) => Number(a.isCovered) - Number(b.isCovered) || b.weight - a.weight || a.skill - b.skill)
    .map(({ skill }) => skill);
  const first = visible[0] ?? 0;
  return [first, visible.find((skill) => skill !== first) ?? (first + 1) % SKILL_COUNT];
}

/** What came of spawning. */
export interface Spawned {
  readonly shift: Shift;
  readonly slot: number;
  /** The company hardly gained by it. */
  readonly isRedundant: boolean;
}

/**
 * Makes a specialist for the task and seats it for the rest of the shift. Without an embedder its text's vector is the
 * normalised sum of its two skills'. `assumption:` a description from the template says nothing else.
 */
export function spawnSpecialist(scene: SpawnScene, rng: Rng): Spawned {
  const { index, config, shift, taskIndex, run } = scene;
  const before = bestInCompany(index, shift, vectorNow(scene));
  const slot = seatForSpawned(shift, run, shift.tasks[taskIndex]!.world.similarity)!;
  const skills = wantedSkills(scene);
  const names = skills.map((skill) => index.bank.skills[skill]!);
  const vector = new Float32Array(index.bank.vectors.dim);
  for (const skill of skills)
    index.bank.vectors.skill(skill).forEach((x, i) => {
      vector[i] = vector[i]! + x;
    });
  const norm = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0)) || 1;
  for (let i = 0; i < vector.length; i++) vector[i] = vector[i]! / norm;
  const specialist: BankSpecialist = {
    row: -1,
    id: `spawned-${taskIndex}-${slot}`,
    role: `${names[0]!.phrases[0]} and ${names[1]!.phrases[0]} specialist`,
    text: `Specialist for ${names.map(({ phrases }) => phrases.slice(0, 3).join(", ")).join(" and ")}.`,
    archetype: "broad",
    claims: [...skills].sort((a, b) => a - b),
    phrasesPerSkill: 3,
    seniority: "mid",
    experimental: false,
    marketing: false,
    latencyMs: SPAWNED_LATENCY_MS,
    cost: SPAWNED_LATENCY_MS / 4000,
    affinity: [],
    fallbackTo: [],
    split: config.specialistSplit,
    handWritten: false,
  };
  let claimBits = 0;
  let nearestSkill = 0;
  let nearest = -2;
  for (let k = 0; k < SKILL_COUNT; k++) {
    const near = cosine(vector, index.bank.vectors.skill(k));
    if (near > config.claimCosine) claimBits |= 1 << k;
    if (near <= nearest) continue;
    nearest = near;
    nearestSkill = k;
  }
  const draw = ([low, high]: readonly [number, number]): number => low + (high - low) * rng.uniform();
  const member: Member = {
    competence: Array.from({ length: SKILL_COUNT }, (_, k) =>
      draw(skills.includes(k) ? SPAWNED_COMPETENCE : TRUTH.unclaimedCompetence),
    ),
    school: Array.from({ length: SKILL_COUNT }, () => (rng.bernoulli(0.5) ? 1 : 0)),
    latencyMs: SPAWNED_LATENCY_MS,
    failure: draw(TRUTH.reliableFailure),
    timeoutShare: TRUTH.timeoutShare,
    headroom: 0.7,
    cost: specialist.cost,
    claimBits,
    nearestSkill,
  };
  const seat: Seat = { bankIndex: null, spawned: { specialist, vector } };
  const seats = shift.seats.with(slot, seat);
  const standIns = standInsOf(index, seats);
  const seated: Shift = {
    ...shift,
    seats,
    members: shift.members.with(slot, member),
    tasks: shift.tasks.map((task) => ({
      ...task,
      world: makeTaskWorld(index, config, taskText(index, task), seats, standIns),
    })),
  };
  const after = bestInCompany(index, seated, vectorNow({ ...scene, shift: seated }));
  return { shift: seated, slot, isRedundant: after - before < config.spawn.redundantGain };
}

/** Quantile of {@link bestInCompany} below which nobody fits, over training draws. `assumption:` the lowest tenth. */
const SPAWN_QUANTILE = 0.1;
const SPAWN_DRAWS = 2000;

/** The spawn threshold of a bank with the vectors in use: measured over random companies and tasks. */
export function measureSpawnThreshold(index: BankIndex, config: SpindleFlowConfig, rng: Rng): number {
  const people = index.specialistsOf("train");
  const tasks = index.bank.tasks.filter((task) => task.split === "train");
  const best = Array.from({ length: SPAWN_DRAWS }, () => {
    const vector = index.bank.vectors.taskRow(rng.choice(tasks).row);
    let high = -1;
    for (let i = 0; i < config.companySize; i++)
      high = Math.max(
        high,
        cosine(vector, index.bank.vectors.specialistRow(index.bank.specialists[rng.choice(people)]!.row)),
      );
    return high;
  }).sort((a, b) => a - b);
  return best[Math.floor(SPAWN_QUANTILE * SPAWN_DRAWS)]!;
}
