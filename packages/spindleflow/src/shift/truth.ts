import type { Rng } from "@praxis/env";
import { type BankSpecialist, SKILL_COUNT } from "../bank/bank.ts";
import type { Member } from "../engine/world.ts";

/** Uniform draw from [low, high). */
const between = (rng: Rng, [low, high]: readonly [number, number]): number => low + (high - low) * rng.uniform();

/** Numbers by which the hidden truth is drawn. `assumption:` all, chosen so that cues help a little and results settle most. */
export const TRUTH = {
  exaggeratorMarketing: 0.65,
  exaggeratorPlain: 0.4,
  falseExaggerator: 0.9,
  falseHonest: 0.05,
  falseCompetence: [0.05, 0.3],
  unclaimedCompetence: [0, 0.15],
  levelSigma: 0.1,
  maxCompetence: 0.97,
  unreliableExperimental: 0.5,
  unreliablePlain: 0.25,
  unreliableFailure: [0.32, 0.58],
  reliableFailure: [0.01, 0.05],
  timeoutShare: 0.6,
  speedSigma: 0.35,
} as const;

/** Competence in a claimed skill when the claim is true. `assumption:` by archetype, as above. */
export const TRUE_COMPETENCE = {
  deep: [0.72, 0.92],
  broad: [0.5, 0.7],
  generalist: [0.3, 0.45],
  overclaimer: [0.5, 0.8],
} as const satisfies Readonly<Record<BankSpecialist["archetype"], readonly [number, number]>>;

/** What seniority adds to a true claim, and the difficulty up to which competence is whole. `assumption:` as above. */
export const SENIORITY = {
  junior: { competence: -0.06, headroom: 0.45 },
  mid: { competence: 0, headroom: 0.7 },
  senior: { competence: 0.06, headroom: 1 },
} as const satisfies Readonly<Record<BankSpecialist["seniority"], { competence: number; headroom: number }>>;

/** What a text says of its author beside its latent fields: from its vector. */
export interface TextTraits {
  readonly claimBits: number;
  readonly nearestSkill: number;
}

/** Draws the hidden truth about a specialist for one shift. */
export function drawMember(rng: Rng, specialist: BankSpecialist, traits: TextTraits): Member {
  const { archetype, marketing, seniority, experimental } = specialist;
  const exaggerates = rng.bernoulli(marketing ? TRUTH.exaggeratorMarketing : TRUTH.exaggeratorPlain);
  const falseShare = exaggerates ? TRUTH.falseExaggerator : TRUTH.falseHonest;
  const level = rng.normal(0, TRUTH.levelSigma);
  const competence: number[] = [];
  for (let k = 0; k < SKILL_COUNT; k++) {
    const isFalse = rng.bernoulli(falseShare) && archetype !== "generalist";
    const u = rng.uniform();
    const scale = ([low, high]: readonly [number, number]): number => low + (high - low) * u;
    let c: number;
    if (!specialist.claims.includes(k)) c = scale(TRUTH.unclaimedCompetence);
    else if (isFalse) c = scale(TRUTH.falseCompetence) + level;
    else c = scale(TRUE_COMPETENCE[archetype]) + SENIORITY[seniority].competence + level;
    competence.push(Math.min(TRUTH.maxCompetence, Math.max(0, c)));
  }
  const school = Array.from({ length: SKILL_COUNT }, () => (rng.bernoulli(0.5) ? 1 : 0));
  const isUnreliable = rng.bernoulli(experimental ? TRUTH.unreliableExperimental : TRUTH.unreliablePlain);
  const failure = between(rng, isUnreliable ? TRUTH.unreliableFailure : TRUTH.reliableFailure);
  // A lognormal of mean 1.
  const speed = Math.exp(rng.normal(-(TRUTH.speedSigma ** 2) / 2, TRUTH.speedSigma));
  return {
    competence,
    school,
    latencyMs: specialist.latencyMs * speed,
    failure,
    timeoutShare: TRUTH.timeoutShare,
    headroom: SENIORITY[seniority].headroom,
    cost: specialist.cost,
    ...traits,
  };
}
