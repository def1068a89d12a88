import { hashText, type Rng } from "@praxis/env";
import { NOTICE } from "../definition.ts";
import type { DecisionRecord } from "./play-unit.ts";
import type { ScoredAction } from "./score-offers.ts";

/** Kinds of data sets. */
export const DATA_KINDS = ["sft", "preference", "traces"] as const;

/** A kind of data set. */
export type DataKind = (typeof DATA_KINDS)[number];

/** Where the decision of a fine-tuning row comes from. */
export const SFT_SOURCES = ["oracle_known", "planner_critic", "correction", "abstention"] as const;

/** Where a fine-tuning row comes from. */
export type SftSource = (typeof SFT_SOURCES)[number];

interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** What every row of every kind tells of itself. */
export interface RowHead {
  readonly id: string;
  readonly split: string;
  readonly sub_environment: string;
  readonly difficulty: string;
  readonly scenario_id: string;
}

/** A chat to learn by. */
export interface SftRow extends RowHead {
  readonly messages: readonly Message[];
  readonly meta: {
    readonly seed: number;
    readonly step: number;
    readonly u_gap: number;
    readonly source: SftSource;
    readonly policy: string;
    readonly action_type: string;
    readonly reward: number;
    readonly observation_hash: string;
  };
}

/** A prompt with a group of answers, each scored by the verifier. */
export interface PreferenceRow extends RowHead {
  readonly prompt: readonly Message[];
  readonly completions: readonly string[];
  readonly rewards: readonly number[];
  /** (r - mean) / (std + 1e-4) in the group. */
  readonly advantages: readonly number[];
  /** Best and worst of the group, for pairwise methods. */
  readonly chosen: string;
  readonly rejected: string;
  readonly meta: { readonly seed: number; readonly step: number; readonly observation_hash: string };
}

/** One step with the reward of everything that could have been done. */
export interface TraceRow extends RowHead {
  readonly step: number;
  readonly policy: string;
  readonly observation: string;
  /** Canonical form as offered, in offered order. */
  readonly candidates: readonly string[];
  readonly candidate_rewards: readonly number[];
  readonly candidate_legal: readonly boolean[];
  readonly action: string;
  readonly reward: number;
  /** The verifier's report on the chosen action, JSON. */
  readonly verifier: string;
  readonly observation_hash: string;
}

/** What a model is told before it sees an observation. */
const SYSTEM_PROMPT = `You review the medicines of an older patient, step by step, in PolyGuard. ${NOTICE}
The user shows an observation as JSON. Answer with one JSON object and nothing else: schema_version "1.0", the step_nonce of the observation, one of its candidates with all its fields except text (candidate_id, action_type and the rest, unchanged), rationale (at most 600 characters), evidence_ids (ids shown in the observation), confidence (0 to 1). Never choose what is contraindicated; ask for what is missing when it matters; keep what is good.`;

function headOf(record: DecisionRecord, kind: string): RowHead {
  return {
    id: hashText(`${kind}/${record.scenarioId}/${record.policy}/${record.step}`),
    split: record.split,
    sub_environment: record.subEnvironment,
    difficulty: record.difficulty,
    scenario_id: record.scenarioId,
  };
}

function promptOf({ observation }: DecisionRecord): readonly Message[] {
  return [
    { role: "system", content: SYSTEM_PROMPT },
    { role: "user", content: JSON.stringify(observation) },
  ];
}

/** Text of an answer. */
function answer({ action }: ScoredAction): Message {
  return { role: "assistant", content: JSON.stringify(action) };
}

/** Least difference in reward that makes an offer a mistake to correct. */
const CLEARLY_WORSE = 0.02;

/** An offer that was clearly worse than the choice: an illegal one before a legal one; null = there is none. */
export function mistakeFor(record: DecisionRecord, rng: Rng): ScoredAction | null {
  const { chosen, offers } = record;
  if (!chosen.isLegal) return null;
  const worse = offers.filter(
    ({ reward, action }) =>
      reward < chosen.reward - CLEARLY_WORSE && action.candidate_id !== chosen.action.candidate_id,
  );
  const illegal = worse.filter(({ isLegal }) => !isLegal);
  const pool = illegal.length > 0 ? illegal : worse;
  return pool.length === 0 ? null : rng.choice(pool);
}

/** What a critic says of a mistake: the rules that it breaks, or what it scores worse on than the choice. */
function critique(mistake: ScoredAction, chosen: ScoredAction): string {
  const end = "Choose another candidate.";
  if (mistake.violations.length > 0) {
    const reasons = mistake.violations.map(({ id, text }) => `${id}: ${text}`).join("; ");
    return `Refused. ${reasons}. ${end}`;
  }
  let worst = "safety_delta_score";
  let most = 0;
  for (const [name, value] of Object.entries(chosen.components)) {
    const loss = value - (mistake.components[name as keyof typeof mistake.components] ?? 0);
    if (loss > most) {
      most = loss;
      worst = name;
    }
  }
  return `Legal, but not good enough: it is judged lower on ${worst.replace(/_score$/, "").replaceAll("_", " ")}. ${end}`;
}

/** The fine-tuning row of a decision; a mistake, if given, comes first with its critique. */
export function sftRow(record: DecisionRecord, source: SftSource, mistake: ScoredAction | null): SftRow {
  const { chosen, seed, step, gap, policy } = record;
  const corrected: readonly Message[] =
    mistake === null ? [] : [answer(mistake), { role: "user", content: critique(mistake, chosen) }];
  return {
    ...headOf(record, `sft/${source}`),
    messages: [...promptOf(record), ...corrected, answer(chosen)],
    meta: {
      ...{ seed, step, u_gap: gap, source, policy, action_type: chosen.action.action_type, reward: chosen.reward },
      observation_hash: record.observationHash,
    },
  };
}

/** Sizes of a group of answers. */
const LEAST_GROUP = 4;
const MOST_GROUP = 8;
/** Keeps advantages finite where all rewards are equal. */
const STD_FLOOR = 1e-4;

/** The group row of a decision: the choice and up to seven other offers; null where there are too few to compare. */
export function preferenceRow(record: DecisionRecord, rng: Rng): PreferenceRow | null {
  const { chosen, offers, seed, step } = record;
  const others = offers.filter(({ action }) => action.candidate_id !== chosen.action.candidate_id);
  const group = [chosen, ...rng.shuffled(others).slice(0, MOST_GROUP - 1)];
  if (group.length < LEAST_GROUP) return null;
  const completions = group.map((each) => JSON.stringify(each.action));
  const rewards = group.map(({ reward }) => reward);
  const best = rewards.indexOf(Math.max(...rewards));
  const worst = rewards.indexOf(Math.min(...rewards));
  if (rewards[best] === rewards[worst]) return null;
  return {
    ...headOf(record, "preference"),
    prompt: promptOf(record),
    completions,
    rewards,
    advantages: advantagesOf(rewards),
    chosen: completions[best]!,
    rejected: completions[worst]!,
    meta: { seed, step, observation_hash: record.observationHash },
  };
}

/** (r - mean) / (std + 1e-4), population standard deviation. */
export function advantagesOf(rewards: readonly number[]): readonly number[] {
  const mean = rewards.reduce((sum, r) => sum + r, 0) / rewards.length;
  const std = Math.sqrt(rewards.reduce((sum, r) => sum + (r - mean) ** 2, 0) / rewards.length);
  return rewards.map((r) => (r - mean) / (std + STD_FLOOR));
}

/** The trace row of a decision. */
export function traceRow(record: DecisionRecord): TraceRow {
  const { chosen, offers, observation } = record;
  return {
    ...headOf(record, "trace"),
    step: record.step,
    policy: record.policy,
    observation: JSON.stringify(observation),
    candidates: observation.candidates.map((candidate) => JSON.stringify(candidate)),
    candidate_rewards: offers.map(({ reward }) => reward),
    candidate_legal: offers.map(({ isLegal }) => isLegal),
    action: JSON.stringify(chosen.action),
    reward: chosen.reward,
    verifier: JSON.stringify({
      legal: chosen.isLegal,
      violations: chosen.violations,
      checks: chosen.checks,
      components: chosen.components,
    }),
    observation_hash: record.observationHash,
  };
}
