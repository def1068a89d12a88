import { writeFileSync } from "node:fs";
import { PraxisError } from "@praxis/env";
import { type Command, InvalidArgumentError } from "commander";
import { CheckFailed } from "../outcome.ts";
import { styled, type Terminal } from "../terminal.ts";
import { formatJunit, formatReport } from "../validate/report.ts";
import { validate } from "../validate/validate.ts";

const COLOURS = { pass: "green", fail: "red", warn: "yellow", skip: "dim" } as const;

interface ValidateFlags {
  readonly timeout: number;
  readonly sessions: number;
  readonly action?: Readonly<Record<string, unknown>>;
  readonly token?: string;
  readonly strict?: boolean;
  readonly json?: boolean;
  readonly junit?: string;
}

function parseCount(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("Give a whole number of at least 1.");
  return value;
}

function parseSeconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0.1)) throw new InvalidArgumentError("Give a number of seconds of at least 0.1.");
  return value;
}

function parseAction(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below, as any other text that is no object.
  }
  throw new InvalidArgumentError(`Give a JSON object, like '{"type":"STOP"}'.`);
}

/** Adds `praxis validate TARGET`: all that the official command checks, and how the server behaves besides. */
export function registerValidate(program: Command, terminal: Terminal): void {
  program
    .command("validate")
    .description(
      "Check a running OpenEnv server (URL) or a package folder (PATH).\n\n  praxis validate http://localhost:8000",
    )
    .argument("<target>", "http(s)://… of any OpenEnv server, or a folder with openenv.yaml")
    .option("--timeout <seconds>", "limit of each request", parseSeconds, 5)
    .option("--sessions <number>", "sessions opened side by side", parseCount, 4)
    .option("--action <json>", "action to step with, where none can be made from the schema", parseAction)
    .option("--token <token>", "bearer token of a guarded server")
    .option("--strict", "count warnings as failures")
    .option("--json", "one JSON document")
    .option("--junit <file>", "write a JUnit report as well")
    .action(async (target: string, flags: ValidateFlags) => {
      const { action, token } = flags;
      const report = await validate(target, {
        timeoutMs: flags.timeout * 1000,
        sessions: flags.sessions,
        strict: flags.strict === true,
        now: () => performance.now(),
        ...(action === undefined ? {} : { action }),
        ...(token === undefined ? {} : { token }),
      });
      if (flags.junit !== undefined) {
        try {
          writeFileSync(flags.junit, formatJunit(report));
        } catch (cause) {
          throw new PraxisError(
            "INVALID_CONFIG",
            `--junit: '${flags.junit}' can't be written: ${(cause as Error).message}.`,
            {
              cause,
            },
          );
        }
      }
      if (flags.json === true) terminal.out(JSON.stringify(report, null, 2));
      else terminal.out(formatReport(report, (status, text) => styled(terminal, COLOURS[status], text)));
      if (!report.passed) throw new CheckFailed("");
    });
}
