import { canonicalJson } from "@praxis/env";
import type { SpindleFlowAction } from "../action.ts";
import { makeSpindleFlowEnv, type SpindleFlowParts } from "../env.ts";
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
 * environment's own parts; a log of other settings or another bank is named as such.
 */
export function verifyAudit(parts: SpindleFlowParts, log: AuditChain): AuditVerdict {
  const chain = verifyChain(log.records, log.head);
  if (!chain.ok) return chain;
  const header = log.records[0] as AuditHeader;
  const env = makeSpindleFlowEnv(parts);
  env.reset({ seed: header.seed, episodeId: header.episodeId, options: header.options });
  for (const [i, record] of log.records.entries()) {
    const state = env.latentState()!;
    const replayed = state.audit!.records.at(-1)! as AuditRecord;
    if (record.kind === "header") {
      if (replayed.hash !== record.hash)
        return fault(0, "The episode began with other settings, bank or learning state.");
    } else {
      const annotation = {
        ...(record.actionProbability === null ? {} : { probability: record.actionProbability }),
        ...(record.valueEstimate === null ? {} : { valueEstimate: record.valueEstimate }),
      };
      env.step({ ...(record.action.given as SpindleFlowAction), annotation });
      const again = env.latentState()!.audit!.records.at(-1)!;
      if (again.hash !== record.hash) return fault(i, "Played again, the step comes out otherwise.");
    }
  }
  return { ok: true };
}

/** Records as JSON lines, for export. */
export function exportAudit(log: AuditChain): string {
  return log.records.map((record) => `${canonicalJson(record)}\n`).join("");
}
