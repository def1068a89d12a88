import { canonicalJson, PraxisError } from "@praxis/env";
import { z } from "zod";
import type { AuditChain, AuditRecord } from "./chain.ts";

/** Last line of a log as text: the hash of the last record, as it was returned with the episode. */
const headSchema = z.strictObject({ kind: z.literal("head"), head: z.string().regex(/^[0-9a-f]{64}$/) });

/** As much of a record as has to hold before its hash can be looked at. */
const recordSchema = z.looseObject({ kind: z.enum(["header", "step"]), prevHash: z.string(), hash: z.string() });

/** A log as JSON lines, for export: canonical JSON, a record a line, and the head on the last. */
export function exportAudit(log: AuditChain): string {
  const lines: unknown[] = [...log.records, { kind: "head", head: log.head }];
  return lines.map((line) => `${canonicalJson(line)}\n`).join("");
}

const refuse = (line: number, why: string): PraxisError =>
  new PraxisError("INVALID_TRACE", `Line ${line} of the audit log ${why}`);

/**
 * Reads the logs of a text written by {@link exportAudit}, one or several one after another. Every line must stand there byte
 * for byte as it was written: a change that parses to the same value, such as a digit below a double's precision, is refused
 * as well. Throws INVALID_TRACE naming the line. Hashes are for `verifyChain`.
 */
export function parseAuditLogs(text: string): readonly AuditChain[] {
  const logs: AuditChain[] = [];
  let records: AuditRecord[] = [];
  if (!text.endsWith("\n")) throw refuse(text.split("\n").length, "is cut: the last line has no end.");
  for (const [i, line] of text.slice(0, -1).split("\n").entries()) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw new PraxisError("INVALID_TRACE", `Line ${i + 1} of the audit log is not JSON: ${line.slice(0, 60)}`, {
        cause,
      });
    }
    if (canonicalJson(value) !== line) throw refuse(i + 1, "is not written as an audit log writes it: it was changed.");
    const head = headSchema.safeParse(value);
    if (head.success) {
      logs.push({ records, head: head.data.head });
      records = [];
      continue;
    }
    const record = recordSchema.safeParse(value);
    if (!record.success) throw refuse(i + 1, `is no record: ${record.error.issues[0]!.message}.`);
    records.push(value as AuditRecord);
  }
  if (records.length > 0) throw refuse(text.split("\n").length - 1, "is the last, and the episode's head is missing.");
  return logs;
}
