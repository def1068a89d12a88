import { type BankSpecialist, SKILL_COUNT } from "../bank/bank.ts";
import { effectiveCompetence } from "../engine/call.ts";
import type { Member, TaskWorld, World } from "../engine/world.ts";
import { SENIORITY, type TextTraits, TRUE_COMPETENCE, TRUTH } from "../shift/truth.ts";

const middle = ([low, high]: readonly [number, number]): number => (low + high) / 2;

/** Spread of a contribution around its expectation: competence range, level and work together. `assumption:` from TRUTH. */
const CONTRIBUTION_VARIANCE = 0.016;

/**
 * Belief about one specialist: exact joint over honesty and which claims are false, reliability by Bayes' rule, speed from
 * elapsed time. Begins with what the text says; the truth is never read.
 */
export class MemberBelief {
  readonly #specialist: BankSpecialist;
  readonly #traits: TextTraits;
  /** Weight of hypothesis (honesty, false claims as bits); index honesty · 2^claims + bits. */
  readonly #weights: number[];
  #unreliable: number;
  #speedSum = 0;
  #speedCount = 0;

  constructor(specialist: BankSpecialist, traits: TextTraits) {
    this.#specialist = specialist;
    this.#traits = traits;
    const isGeneralist = specialist.archetype === "generalist";
    const claims = isGeneralist ? 0 : specialist.claims.length;
    const exaggerates = specialist.marketing ? TRUTH.exaggeratorMarketing : TRUTH.exaggeratorPlain;
    this.#weights = Array.from({ length: 2 << claims }, (_, i) => {
      const honest = i < 1 << claims;
      const falseShare = honest ? TRUTH.falseHonest : TRUTH.falseExaggerator;
      let weight = honest ? 1 - exaggerates : exaggerates;
      for (let c = 0; c < claims; c++) weight *= (i & (1 << c)) !== 0 ? falseShare : 1 - falseShare;
      return weight;
    });
    this.#unreliable = specialist.experimental ? TRUTH.unreliableExperimental : TRUTH.unreliablePlain;
  }

  /** Expected competence per skill under one hypothesis. */
  #competence(hypothesis: number): number[] {
    const { archetype, claims, seniority } = this.#specialist;
    const competence = new Array<number>(SKILL_COUNT).fill(middle(TRUTH.unclaimedCompetence));
    claims.forEach((skill, c) => {
      const isFalse = archetype !== "generalist" && (hypothesis & (1 << c)) !== 0;
      competence[skill] = isFalse
        ? middle(TRUTH.falseCompetence)
        : middle(TRUE_COMPETENCE[archetype]) + SENIORITY[seniority].competence;
    });
    return competence;
  }

  /** The specialist as a planner should take it. */
  expected(): Member {
    const competence = new Array<number>(SKILL_COUNT).fill(0);
    const total = this.#weights.reduce((sum, weight) => sum + weight, 0);
    this.#weights.forEach((weight, hypothesis) => {
      if (weight <= 0) return;
      this.#competence(hypothesis).forEach((c, k) => {
        competence[k] = competence[k]! + (weight / total) * c;
      });
    });
    const speed = (this.#speedSum + 1) / (this.#speedCount + 1);
    const { latencyMs, cost, seniority } = this.#specialist;
    return {
      competence,
      school: new Array<number>(SKILL_COUNT).fill(0),
      latencyMs: latencyMs * speed,
      failure:
        this.#unreliable * middle(TRUTH.unreliableFailure) + (1 - this.#unreliable) * middle(TRUTH.reliableFailure),
      timeoutShare: TRUTH.timeoutShare,
      headroom: SENIORITY[seniority].headroom,
      cost,
      ...this.#traits,
    };
  }

  /** Learns from a single output's measured score on the task as the planner understands it. */
  learnScore(world: World, task: TaskWorld, score: number): void {
    const base = this.expected();
    this.#weights.forEach((weight, hypothesis) => {
      if (weight <= 0) return;
      const member = { ...base, competence: this.#competence(hypothesis) };
      let mean = 0;
      let variance = world.sigma ** 2;
      task.skills.forEach((_, need) => {
        const p = Math.min(1, Math.max(0, effectiveCompetence({ ...world, task }, member, need)));
        const w = task.weights[need]!;
        if (task.shape === "diagnostic") {
          const { diagnosticHit, diagnosticMiss } = world.config.simulation;
          mean += w * (diagnosticMiss + p * (diagnosticHit - diagnosticMiss));
          variance += w * w * p * (1 - p) * (diagnosticHit - diagnosticMiss) ** 2;
        } else mean += w * p;
        variance += w * w * CONTRIBUTION_VARIANCE;
      });
      if (task.shape === "open") variance += world.config.simulation.styleNoise ** 2;
      if (task.shape === "join") mean *= world.config.simulation.joinFactor;
      this.#weights[hypothesis] = (weight * Math.exp((-0.5 * (score - mean) ** 2) / variance)) / Math.sqrt(variance);
    });
    const total = this.#weights.reduce((sum, weight) => sum + weight, 0);
    if (total > 0)
      this.#weights.forEach((weight, i) => {
        this.#weights[i] = weight / total;
      });
  }

  /** Learns whether a call failed. */
  learnReliability(failed: boolean): void {
    const likelihood = (p: number): number => (failed ? p : 1 - p);
    const unreliable = this.#unreliable * likelihood(middle(TRUTH.unreliableFailure));
    const reliable = (1 - this.#unreliable) * likelihood(middle(TRUTH.reliableFailure));
    this.#unreliable = unreliable / (unreliable + reliable);
  }

  /** Learns from the time that a whole call took. */
  learnSpeed(durationMs: number): void {
    // The prior counts as one observation of speed 1; noise of one call is about a tenth, far below the spread of speeds.
    this.#speedSum += (4 * durationMs) / this.#specialist.latencyMs;
    this.#speedCount += 4;
  }

  /** How open it is whether claims are true, 0 … 1: what one more observation could tell. */
  uncertainty(): number {
    const total = this.#weights.reduce((sum, weight) => sum + weight, 0);
    const half = this.#weights.length / 2;
    const exaggerates = this.#weights.slice(half).reduce((sum, weight) => sum + weight, 0) / total;
    return 4 * exaggerates * (1 - exaggerates);
  }
}
