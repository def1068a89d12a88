import { existsSync, statSync } from "node:fs";
import { PraxisError } from "@praxis/env";
import { capacityChecks } from "./capacity-checks.ts";
import { type CheckGroup, runChecks } from "./check.ts";
import { determinismChecks } from "./determinism-checks.ts";
import { Folder, folderChecks } from "./folder-checks.ts";
import { frameChecks } from "./frame-checks.ts";
import { httpChecks } from "./http-checks.ts";
import { mcpChecks } from "./mcp-checks.ts";
import { makeReport, type ValidationReport } from "./report.ts";
import { sessionChecks } from "./session-checks.ts";
import { Target, type TargetOptions } from "./target.ts";
import { measureTiming } from "./timing.ts";
import { urlCriteria } from "./url-criteria.ts";

/** What a validation is told. */
export interface ValidateOptions extends TargetOptions {
  /** Count warnings as failures. */
  readonly strict: boolean;
  /** Milliseconds, from any start. */
  now(): number;
}

const SERVER_CHECKS = [
  urlCriteria,
  httpChecks,
  sessionChecks,
  frameChecks,
  determinismChecks,
  capacityChecks,
  mcpChecks,
];

const reachability: CheckGroup<Target> = {
  name: "Connection",
  checks: [
    {
      id: "reachable",
      title: "The server answers HTTP requests",
      required: true,
      run: async (target) => `HTTP ${(await target.get("/health")).status}`,
    },
  ],
};

/** The base URL that a target names, or null for a path. A bare `host:port` counts as a URL, unless such a folder exists. */
function asUrl(target: string): string | null {
  if (/^https?:\/\//i.test(target)) return target;
  return /^(localhost|[\w.-]+:\d+)(\/.*)?$/.test(target) && !existsSync(target) ? `http://${target}` : null;
}

/**
 * Validates a running server (a URL) or a package folder (a path). What a server does not offer is skipped with a reason.
 * Throws INVALID_CONFIG when the target is neither.
 */
export async function validate(target: string, options: ValidateOptions): Promise<ValidationReport> {
  const { strict, now } = options;
  const url = asUrl(target);
  if (url !== null) {
    if (!URL.canParse(url)) throw new PraxisError("INVALID_CONFIG", `'${target}' is not a valid URL.`);
    const server = new Target(url, options);
    const about = { target: server.base, kind: "url", strict } as const;
    const reachable = await runChecks([reachability], server, now);
    // Fifty ways to say that nobody answers help nobody.
    if (reachable.some(({ status }) => status === "fail")) return makeReport(about, reachable, []);
    const checks = await runChecks(SERVER_CHECKS, server, now);
    return makeReport(about, [...reachable, ...checks], await measureTiming(server, now));
  }
  if (!existsSync(target) || !statSync(target).isDirectory())
    throw new PraxisError("INVALID_CONFIG", `'${target}' is neither a URL (http://…) nor a folder.`);
  return makeReport({ target, kind: "folder", strict }, await runChecks(folderChecks, new Folder(target), now), []);
}
