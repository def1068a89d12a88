import { createHash } from "node:crypto";
import { canonicalJson } from "@praxis/env";
import type { Choice, SpindleFlowAction } from "../action.ts";
import type { CallRecord } from "../engine/log.ts";
import type { TaskReward } from "../engine/reward.ts";
import type { TaskRun } from "../engine/run.ts";
import type { EpisodeState } from "../episode.ts";
import { type Decision, META_ACTIONS } from "../names.ts";

/** First record of a chain: all that a replay needs. Plain data. */
export interface AuditHeader {
  readonly kind: "header";
  readonly version: 1;
  readonly episodeId: string;
  readonly seed: number;
  readonly options: Readonly<Record<string, unknown>>;
  readonly configHash: string;
  readonly catalogHash: string;
  readonly learningHash: string;
  readonly prevHash: string;
  readonly hash: string;
}

/** Record of one step. Plain data. */
export interface AuditStep {
  readonly kind: "step";
  readonly episodeId: string;
  readonly task: number;
  readonly step: number;
  /** Hash of the observation that was decided on, and of its mask. */
  readonly obsHash: string;
  readonly maskHash: string;
  /** The action as it came, and what was carried out; null when illegal. */
  readonly action: { readonly given: unknown; readonly decision: Decision | null };
  /** Legal meta-actions. */
  readonly legalAlternatives: readonly string[];
  readonly actionProbability: number | null;
  readonly valueEstimate: number | null;
  readonly edges: readonly CallRecord[];
  readonly measuredQuality: number;
  readonly elapsedMs: number;
  readonly costUnits: number;
  readonly reward: TaskReward | null;
  readonly prevHash: string;
  readonly hash: string;
}

/** A record of a chain. */
export type AuditRecord = AuditHeader | AuditStep;

/** The chain of an episode so far: its records and the hash of the last. Plain data. */
export interface AuditChain {
  readonly records: readonly AuditRecord[];
  readonly head: string;
}

/** SHA-256 in hex. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** SHA-256 of the bytes of an observation vector. */
function hashVector(vector: Float32Array): string {
  return sha256(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
}

/** A record with its hash: over the hash before it and its canonical JSON. */
function sealed<Record extends { readonly prevHash: string }>(record: Record): Record & { readonly hash: string } {
  return { ...record, hash: sha256(record.prevHash + canonicalJson(record)) };
}

/** Chain of an episode that has begun. */
export function beginChain(header: Omit<AuditHeader, "kind" | "version" | "prevHash" | "hash">): AuditChain {
  const record = sealed({ kind: "header" as const, version: 1 as const, ...header, prevHash: "" });
  return { records: [record], head: record.hash };
}

/** What a step hands to the chain. */
export interface AuditedStep {
  readonly state: EpisodeState;
  readonly action: SpindleFlowAction;
  readonly choice: Choice;
  readonly decision: Decision | null;
  readonly calls: readonly CallRecord[];
  readonly next: EpisodeState;
  readonly taskReward: TaskReward | null;
  /** The work after the step, also when the task ended with it. */
  readonly workedOn: TaskRun;
}

/** Without undefined members, which JSON leaves out. */
const toGiven = (given: unknown): unknown => JSON.parse(canonicalJson(given));

/** The chain with one step more. */
export function appendStep(chain: AuditChain, step: AuditedStep): AuditChain {
  const { state, action, decision, calls, taskReward, workedOn } = step;
  const { annotation } = step.choice;
  const given = "vector" in action ? { vector: Array.from(action.vector) } : { ...action, annotation: undefined };
  const record = sealed({
    kind: "step" as const,
    episodeId: (chain.records[0] as AuditHeader).episodeId,
    task: state.taskIndex,
    step: workedOn.steps,
    obsHash: hashVector(state.vector),
    maskHash: sha256(canonicalJson(state.masks)),
    action: { given: toGiven(given), decision },
    legalAlternatives: META_ACTIONS.filter((_, i) => state.masks.meta[i]),
    actionProbability: annotation?.probability ?? null,
    valueEstimate: annotation?.valueEstimate ?? null,
    edges: calls,
    measuredQuality: workedOn.measured,
    elapsedMs: workedOn.elapsedMs,
    costUnits: workedOn.costUnits,
    reward: taskReward,
    prevHash: chain.head,
  });
  return { records: [...chain.records, record], head: record.hash };
}
