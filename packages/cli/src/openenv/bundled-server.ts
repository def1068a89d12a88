import { parseArgs } from "node:util";
import { type EnvDefinition, EnvRegistry, PraxisError } from "@praxis/env";
import { createServer } from "@praxis/server";
import { pageFolder } from "@praxis/workbench";
import { roleTokensFrom } from "../role-tokens.ts";

const USAGE = `Options: --host ADDRESS (0.0.0.0), --port NUMBER (8000), --max-sessions NUMBER (256), --exit-with-stdin
Variables: PORT, OPENENV_MODE (simulation or production), MAX_CONCURRENT_ENVS,
  PRAXIS_TRAINER_TOKEN, PRAXIS_AGENT_TOKEN, PRAXIS_VIEWER_TOKEN (none: every door is open)`;

/** Settings of a bundled server. */
export interface BundledSettings {
  readonly host: string;
  readonly port: number;
  readonly mode: string;
  readonly maxSessions: number;
  /** End when standard input ends: for parents that must not leave a server behind. */
  readonly exitWithStdin: boolean;
}

function toInteger(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new PraxisError("INVALID_CONFIG", `${name} must be a whole number, not '${text}'.\n${USAGE}`);
  return value;
}

/** Reads command line (which wins) and variables, with the defaults that containers need. Throws INVALID_CONFIG. */
export function readBundledSettings(
  args: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): BundledSettings {
  let flags: { host?: string; port?: string; "max-sessions"?: string; "exit-with-stdin"?: boolean };
  try {
    flags = parseArgs({
      args: [...args],
      options: {
        host: { type: "string" },
        port: { type: "string" },
        "max-sessions": { type: "string" },
        "exit-with-stdin": { type: "boolean" },
      },
    }).values;
  } catch (cause) {
    throw new PraxisError("INVALID_CONFIG", `${(cause as Error).message}\n${USAGE}`, { cause });
  }
  return {
    host: flags.host ?? "0.0.0.0",
    port: toInteger("The port", flags.port ?? variables.PORT ?? "8000"),
    mode: variables.OPENENV_MODE ?? "simulation",
    maxSessions: toInteger("The number of sessions", flags["max-sessions"] ?? variables.MAX_CONCURRENT_ENVS ?? "256"),
    exitWithStdin: flags["exit-with-stdin"] === true,
  };
}

/**
 * Serves one environment until a signal ends the process; the main function of every bundle. Exit code 0 after a clean
 * shutdown, 1 when the server cannot listen, 2 for a wrong setting.
 *
 * @public imported by the entry text of each bundle
 */
export async function runBundledServer(
  definition: EnvDefinition,
  args: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const fail = (error: unknown, exitCode: number): void => {
    process.stderr.write(`${definition.id}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = exitCode;
  };
  let server: ReturnType<typeof createServer>;
  let settings: BundledSettings;
  try {
    settings = readBundledSettings(args, variables);
    const { host, port, mode, maxSessions } = settings;
    const tokens = roleTokensFrom(variables);
    server = createServer({
      registry: new EnvRegistry([definition]),
      host,
      port,
      mode,
      maxSessions,
      tokens,
      page: pageFolder,
    });
  } catch (error) {
    fail(error, 2);
    return;
  }
  try {
    const { url } = await server.listen();
    process.stderr.write(`${definition.id} (${settings.mode}): ${url}\n`);
  } catch (error) {
    fail(error, 1);
    return;
  }
  const stop = (): void => {
    // A second signal ends the process at once: the handlers are gone.
    process.off("SIGTERM", stop);
    process.off("SIGINT", stop);
    if (settings.exitWithStdin) process.stdin.destroy();
    server.close().catch((error: unknown) => fail(error, 1));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  if (settings.exitWithStdin) process.stdin.once("end", stop).resume();
}
