import type { Rng } from "@praxis/env";
import type { StepAction, WireAction } from "../../actions/schema.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import type { Observation } from "../../observation/schema.ts";
import { writeFinding } from "../../sub-environments/bandit-mining/findings.ts";
import type { PolyGuardPolicy } from "../own-play.ts";
import type { Miner, MiningProblem } from "./miner.ts";
import { problemOfObservation } from "./problem.ts";

/** Most findings of a declaration, and most characters of their texts together (an action may have 64 kB). */
const MOST_FINDINGS = 2000;
const MOST_CHARACTERS = 60_000;
/** Confidence of a probe, on which nothing hangs, and of a declaration. */
const PROBE_CONFIDENCE = 0.5;
const DECLARE_CONFIDENCE = 0.95;

/** Makes the strategy of one episode. */
export type MakeMiner = (problem: MiningProblem, rng: Rng) => Miner;

type BanditBlock = NonNullable<Observation["bandit"]>;

/** Plays BANDIT_MINING by a miner: probes what it proposes until it or the budget is done, then declares what it found. */
export function makeMiningPolicy(name: string, kb: KnowledgeBase, makeMiner: MakeMiner): PolyGuardPolicy {
  let rng: Rng | null = null;
  let miner: Miner | null = null;
  let drugs: BanditBlock["drugs"] = [];
  let seen = 0;
  return {
    name,
    reset: (episodeRng) => {
      rng = episodeRng;
      miner = null;
      seen = 0;
    },
    findings: () => (miner === null ? null : findingTexts(drugs, miner)),
    act: (observation) => {
      if (rng === null) throw new Error("reset the policy before it acts");
      const { bandit } = observation;
      if (bandit === undefined) return { raw: "" };
      miner ??= makeMiner(problemOfObservation(kb, observation, bandit), rng);
      drugs = bandit.drugs;
      for (const { combination, rr } of bandit.probes.slice(seen)) miner.learn(positionsIn(bandit, combination), rr);
      seen = bandit.probes.length;
      const proposed = bandit.probes_left > 0 ? miner.propose(bandit.probes_left) : [];
      return proposed.length === 0
        ? declareFound(observation, bandit, miner)
        : probeAction(observation, bandit, proposed);
    },
  };
}

/** Positions of a combination's drugs in the task's list, ascending. */
export function positionsIn({ drugs }: BanditBlock, combination: readonly string[]): number[] {
  return combination.map((id) => drugs.indexOf(id)).sort((a, b) => a - b);
}

/** A probe of combinations by position. */
export function probeAction(
  observation: Observation,
  { drugs }: BanditBlock,
  combinations: readonly (readonly number[])[],
): StepAction {
  return freeAction(observation, {
    candidate_id: "c_probe",
    action_type: "PROBE_COMBINATION",
    combinations: combinations.map((combination) => combination.map((position) => drugs[position]!)),
    rationale: "These combinations tell most about where the danger lies.",
    confidence: PROBE_CONFIDENCE,
  });
}

/** A declaration of finding texts. */
export function declareTexts(observation: Observation, findings: readonly string[]): StepAction {
  return freeAction(observation, {
    candidate_id: "c_declare",
    action_type: "DECLARE_FINDINGS",
    findings: [...findings],
    rationale: `${findings.length} findings were confirmed by probes.`,
    confidence: DECLARE_CONFIDENCE,
  });
}

/** A declaration of what a miner has found, as much of it as an action holds. */
export function declareFound(observation: Observation, { drugs }: BanditBlock, miner: Miner): StepAction {
  return declareTexts(observation, findingTexts(drugs, miner));
}

/** Texts of what a miner would declare, as many as an action may hold. */
function findingTexts(drugs: BanditBlock["drugs"], miner: Miner): readonly string[] {
  const texts: string[] = [];
  let characters = 0;
  for (const finding of miner.declare()) {
    const text = writeFinding(drugs, finding);
    characters += text.length + 3;
    if (texts.length >= MOST_FINDINGS || characters > MOST_CHARACTERS) break;
    if (!texts.includes(text)) texts.push(text);
  }
  return texts;
}

function freeAction(
  observation: Observation,
  fields: Pick<WireAction, "candidate_id" | "action_type" | "rationale" | "confidence"> & Partial<WireAction>,
): StepAction {
  return { schema_version: "1.0", step_nonce: observation.step_nonce, evidence_ids: [], ...fields };
}
