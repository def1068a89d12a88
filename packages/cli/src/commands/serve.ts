import { EnvRegistry, PraxisError } from "@praxis/env";
import { type ServerOptions, serve } from "@praxis/server";
import { pageFolder } from "@praxis/workbench";
import { type Command, InvalidArgumentError, Option } from "commander";
import pino from "pino";
import { loadRegistry } from "../load-environments.ts";
import { roleTokensFrom } from "../role-tokens.ts";
import type { Terminal } from "../terminal.ts";
import { flowServices } from "../workbench/flow-services.ts";
import { withPolicyServices } from "../workbench/policy-services.ts";

interface ServeFlags {
  readonly host: string;
  readonly port?: number;
  readonly mode: string;
  readonly workers: number;
  readonly maxSessions?: number;
  readonly stepTimeoutMs?: number;
  readonly sessionTimeoutMs?: number | null;
  readonly resumeGraceMs?: number;
  readonly pingIntervalMs?: number | null;
  readonly pingTimeoutMs?: number;
  readonly maxMessageBytes?: number;
  readonly cors?: string[];
  readonly seed?: number;
  readonly logLevel: string;
  readonly envModule?: string[];
  readonly runs: string;
}

function whole(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < 0)
    throw new InvalidArgumentError("It must be a whole number from 0 on.");
  return value;
}
const wholeOrOff = (text: string): number | null => (text === "off" ? null : whole(text));

/** Drops what was not given, so that the server's own defaults hold. */
const given = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;

/** Adds `praxis serve [ENV]`: all environments under their prefixes, the named one at the root too. */
export function registerServe(program: Command, terminal: Terminal): void {
  program
    .command("serve")
    .description(
      "Serve the environments over the OpenEnv protocol (HTTP, WebSocket, MCP) and the page.\n\n  praxis serve polyguard --port 8000",
    )
    .argument("[env]", "environment to serve at the root too")
    .option("--host <host>", "address to listen on; 0.0.0.0 for all", "127.0.0.1")
    .option("--port <number>", "port; 0 for any free one (default $PORT or 8000)", whole)
    .addOption(
      new Option("--mode <mode>", "production takes reset, step and state off HTTP")
        .choices(["simulation", "production"])
        .default(process.env.OPENENV_MODE?.toLowerCase() ?? "simulation", "$OPENENV_MODE or simulation"),
    )
    .option("--workers <number>", "server processes", whole, 1)
    .option("--max-sessions <number>", "sessions at once, in each process (default 256)", whole)
    .option("--step-timeout-ms <ms>", "deadline of a step (default 2500)", whole)
    .option("--session-timeout-ms <ms>", "idle time after which a session ends, or 'off' (default 900000)", wholeOrOff)
    .option("--resume-grace-ms <ms>", "how long a lost connection may come back (default 30000)", whole)
    .option("--ping-interval-ms <ms>", "ping interval of sockets, or 'off' (default 20000)", wholeOrOff)
    .option("--ping-timeout-ms <ms>", "silence after which a socket is dropped (default 300000)", whole)
    .option("--max-message-bytes <bytes>", "largest message (default 104857600)", whole)
    .option("--cors <origin...>", "origins of other pages that may call; '*' for any")
    .option("--seed <number>", "seed from which sessions without one get theirs (default random)", whole)
    .addOption(
      new Option("--log-level <level>", "what is logged, as JSON lines on stderr")
        .choices(["silent", "error", "warn", "info", "debug"])
        .default("warn"),
    )
    .option("--env-module <path...>", "modules with further environments")
    .option("--runs <dir>", "folder whose runs of agent teams the page shows", "runs")
    .addHelpText(
      "after",
      "\nTokens by role: PRAXIS_TRAINER_TOKEN, PRAXIS_AGENT_TOKEN, PRAXIS_VIEWER_TOKEN. Without any, every door is open.",
    )
    .action(async (env: string | undefined, flags: ServeFlags) => {
      const loaded = await loadRegistry({ extra: flags.envModule ?? [] });
      if (env !== undefined) loaded.get(env);
      const { workers, logLevel, envModule: _modules, runs, ...rest } = flags;
      // What the page needs beside the protocol reads true states and files, which is nothing for the agents of a server in production.
      const isForPeople = flags.mode.toLowerCase() === "simulation";
      const registry = isForPeople ? new EnvRegistry(loaded.list().map(withPolicyServices)) : loaded;
      const options: ServerOptions = given({
        ...rest,
        registry,
        root: env,
        page: pageFolder,
        services: isForPeople ? flowServices(runs) : [],
        port: flags.port ?? portFromEnvironment(),
        tokens: roleTokensFrom(process.env),
        logger: pino({ level: logLevel }, pino.destination(2)),
      }) as ServerOptions;
      const served = await serve(options, workers);
      const { url } = served;
      if (served.role !== "worker") {
        terminal.err(`Praxis is serving at ${url}${workers > 1 ? ` with ${workers} processes` : ""}`);
        for (const { id, name, notice } of registry.list())
          terminal.err(`  ${id.padEnd(16)} ${url}/${name}${notice === undefined ? "" : `   ${notice}`}`);
        terminal.err("Open the address in a browser, or stop with Ctrl-C.");
      }
      await stopSignal();
      if (served.role === "worker") return; // the primary tells its workers to close
      terminal.err("Stopping: running steps are answered first.");
      await served.close();
    });
}

function portFromEnvironment(): number | undefined {
  const text = process.env.PORT;
  if (text === undefined || text === "") return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new PraxisError("VALIDATION_ERROR", `PORT is '${text}', not a port number.`);
  return port;
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
}
