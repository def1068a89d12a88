import { canonicalJson, PraxisError } from "@praxis/env";
import type { SpindleFlowAction } from "../action.ts";
import { makeSpindleFlowEnv, type SpindleFlowParts } from "../env.ts";
import type { EpisodeState } from "../episode.ts";
import { type AuditChain, type AuditHeader, type AuditRecord, sha256 } from "./chain.ts";

/** First fault of a log, or that it holds. `record` is the index of the record at fault. */
export type AuditVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly record: number; readonly message: string };

const fault = (record: number, message: string): AuditVerdict => ({ ok: false, record, message });

/** Recomputes the hashes of a chain: any changed byte of a record, and any record moved, lost or added, is found. */
export function verifyChain(records: readonly AuditRecord[], head: string): AuditVerdict {
  let before = "";
  for (const [i, record] of records.entries()) {
    const { hash, ...content } = record;
    if (content.prevHash !== before) return fault(i, "It does not follow the record before it.");
    if (sha256(before + canonicalJson(content)) !== hash) return fault(i, "Its content does not fit its hash.");
    before = hash;
  }
  if (records[0]?.kind !== "header") return fault(0, "A log begins with a header.");
  return before === head ? { ok: true } : fault(records.length - 1, "The last hash is not the head that was returned.");
}

/**
 * Verifies a log: recomputes the chain, then plays the episode again from the header and compares every record. Needs the
 * environment's own parts; a log of other settings or another bank is named as such. Never throws for a log that was changed.
 */
export function verifyAudit(parts: SpindleFlowParts, log: AuditChain): AuditVerdict {
  const chain = verifyChain(log.records, log.head);
  if (!chain.ok) return chain;
  let index = 0;
  try {
    for (const { record, replayed } of replayAudit(parts, log)) {
      if (replayed.hash !== record.hash)
        return fault(
          index,
          record.kind === "header"
            ? "The episode began with other settings, bank or learning state."
            : "Played again, the step comes out otherwise.",
        );
      index++;
    }
  } catch (error) {
    if (!(error instanceof PraxisError)) throw error;
    return fault(index, `It can't be played again: ${error.message}`);
  }
  return { ok: true };
}

/** One record of a log beside what playing the episode again gave; `before` is the state that was decided on. */
interface ReplayedRecord {
  readonly record: AuditRecord;
  readonly replayed: AuditRecord;
  readonly before: EpisodeState | null;
}

/** Plays the episode of a log again, record by record. Throws as `reset` and `step` do for a log of another environment. */
export function* replayAudit(parts: SpindleFlowParts, log: AuditChain): Generator<ReplayedRecord> {
  const header = log.records[0] as AuditHeader;
  const env = makeSpindleFlowEnv(parts);
  env.reset({ seed: header.seed, episodeId: header.episodeId, options: header.options });
  for (const record of log.records) {
    const before = record.kind === "header" ? null : env.latentState();
    if (record.kind === "step") {
      const annotation = {
        ...(record.actionProbability === null ? {} : { probability: record.actionProbability }),
        ...(record.valueEstimate === null ? {} : { valueEstimate: record.valueEstimate }),
      };
      env.step({ ...(record.action.given as SpindleFlowAction), annotation });
    }
    yield { record, replayed: env.latentState()!.audit!.records.at(-1)!, before };
  }
}

/**
 * The audit log of an episode that was recorded without one, from its seed, options and actions. Deterministic, as the
 * environment is: equal episodes give equal logs.
 */
export function auditEpisode(
  parts: SpindleFlowParts,
  episode: {
    readonly seed: number;
    readonly episodeId: string;
    readonly options: Readonly<Record<string, unknown>>;
    readonly actions: readonly SpindleFlowAction[];
  },
): AuditChain {
  const { seed, episodeId, options, actions } = episode;
  const env = makeSpindleFlowEnv(parts);
  env.reset({ seed, episodeId, options: { ...options, audit: true } });
  for (const action of actions) env.step(action);
  return env.latentState()!.audit!;
}
