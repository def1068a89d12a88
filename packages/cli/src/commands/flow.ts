import { randomInt } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { PraxisError, Rng } from "@praxis/env";
import { FlowError, flowSchema, graphFlow, type HumanRequest, makeRealClock } from "@praxis/flow";
import { checkFlowFile, newFlow, readRunMeta, replayRun, runFlowFile, serveDashboard } from "@praxis/flow/node";
import type { Command } from "commander";
import { flowHost } from "../flow-host.ts";
import { CheckFailed } from "../outcome.ts";
import type { Terminal } from "../terminal.ts";
import { makeLiveView } from "./flow-live-view.ts";

interface RunFlags {
  readonly input?: string;
  readonly out: string;
  readonly graphs?: boolean;
  readonly dashboard?: string | boolean;
  readonly json?: boolean;
  readonly recordContent?: boolean;
  readonly maxCost?: number;
  readonly resume?: string;
  readonly answer: readonly string[];
  readonly model?: string;
  readonly seed?: number;
  readonly force?: boolean;
  readonly stream: boolean;
}

/** Adds `praxis flow run|check|graph|replay|schema|new|dashboard`: teams of language-model agents from YAML. */
export function registerFlow(program: Command, terminal: Terminal): void {
  const flow = program
    .command("flow")
    .description(
      "Run teams of language-model agents that a YAML file describes.\n\n  praxis flow run examples/flows/research-brief.yml -i 'Rows or columns for event data?'",
    );
  flow
    .command("run")
    .description("Check and run a flow.\n\n  praxis flow run review.yml -i @change.diff --graphs")
    .argument("<file>", "flow file")
    .option("-i, --input <text>", "the input; @file reads it from a file")
    .option("--out <dir>", "folder for runs", "runs")
    .option("--graphs", "write graph.svg and timing.svg")
    .option("--dashboard [port]", "serve the dashboard while it runs")
    .option("--json", "one JSON document on stdout")
    .option("--record-content", "keep prompts and replies in the events")
    .option("--max-cost <usd>", "most that the run may cost in USD", Number)
    .option("--resume <run>", "go on with a run: its folder, or its name under --out")
    .option(
      "--answer <token=value>",
      "answer to an open question; may be repeated",
      (value: string, all: readonly string[]) => [...all, value],
      [],
    )
    .option("--model <id>", "model that stands in for the default of the file")
    .option("--seed <number>", "seed; default drawn", Number)
    .option("--force", "resume although the file has changed")
    .option("--no-stream", "ask models for whole replies")
    .action((file: string, flags: RunFlags) => guarded(() => run(file, flags, terminal)));
  flow
    .command("check")
    .description("Show every problem of flow files at its line and column.\n\n  praxis flow check flows/*.yml")
    .argument("<file...>", "flow files")
    .option("--json", "one JSON document")
    .action((files: readonly string[], flags: { readonly json?: boolean }) =>
      guarded(() => check(files, flags, terminal)),
    );
  flow
    .command("graph")
    .description("Draw the steps of a flow.\n\n  praxis flow graph review.yml --svg > review.svg")
    .argument("<file>", "flow file")
    .option("--svg", "SVG instead of text")
    .action((file: string, flags: { readonly svg?: boolean }) =>
      guarded(async () => {
        const checked = await checkFlowFile(file, { env: process.env });
        if (checked.plan === null) throw new CheckFailed(checked.text);
        terminal.out(graphFlow(checked.plan, flags.svg === true ? "svg" : "ascii"));
      }),
    );
  flow
    .command("replay")
    .description(
      "Play a run again from its log, without any call, and compare.\n\n  praxis flow replay runs/flow__review__2026-01-15T09-00-00",
    )
    .argument("<run>", "folder of the run, or its name under --out")
    .option("--out <dir>", "folder for runs", "runs")
    .option("--json", "one JSON document")
    .option("--force", "replay although the file has changed")
    .action((name: string, flags: { readonly out: string; readonly json?: boolean; readonly force?: boolean }) =>
      guarded(() => replay(name, flags, terminal)),
    );
  flow
    .command("schema")
    .description(
      "Print the JSON Schema of flow files, for completion in editors.\n\n  praxis flow schema > flow.schema.json",
    )
    .action(() => terminal.out(JSON.stringify(flowSchema(), null, 2)));
  flow
    .command("new")
    .description("Write a flow to begin with.\n\n  praxis flow new flows/answer.yml")
    .argument("<file>", "file to write")
    .action((file: string) =>
      guarded(async () => {
        newFlow(file);
        terminal.err(`Wrote ${file}. Run it: praxis flow run ${file} -i "Rows or columns?"`);
      }),
    );
  flow
    .command("dashboard")
    .description("Serve a page over the runs of a folder.\n\n  praxis flow dashboard --port 3001")
    .option("--out <dir>", "folder for runs", "runs")
    .option("--port <port>", "port", Number, 3001)
    .option("--host <host>", "host; other than this machine needs --token", "127.0.0.1")
    .option("--token <token>", "token that callers must send")
    .action((flags: { readonly out: string; readonly port: number; readonly host: string; readonly token?: string }) =>
      guarded(async () => {
        const dashboard = await serveDashboard({
          runs: flags.out,
          port: flags.port,
          host: flags.host,
          ...(flags.token === undefined ? {} : { token: flags.token }),
        });
        terminal.err(`Dashboard: ${dashboard.url}`);
        await new Promise<void>((resolve) => process.once("SIGINT", () => resolve()));
        await dashboard.close();
      }),
    );
  for (const command of flow.commands)
    command.exitOverride().showSuggestionAfterError(true).configureOutput(program.configureOutput());
}

/** A mistake in what was asked for ends with code 2 and its advice. */
async function guarded(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof FlowError)) throw error;
    throw new PraxisError("INVALID_CONFIG", `${error.code}: ${error.message} ${error.solution}`, { cause: error });
  }
}

async function run(file: string, flags: RunFlags, terminal: Terminal): Promise<void> {
  const earlier = flags.resume === undefined ? undefined : runFolder(flags.resume, flags.out);
  const meta = earlier === undefined ? undefined : readRunMeta(earlier);
  const seed = meta?.seed ?? String(flags.seed ?? randomInt(2 ** 47));
  const folder =
    earlier ??
    join(
      flags.out,
      `flow__${stem(file)}__${new Date()
        .toISOString()
        .replace(/\.\d+Z$/, "")
        .replaceAll(":", "-")}`,
    );
  const model = flags.model ?? meta?.model ?? undefined;
  const maxCost = flags.maxCost === undefined ? {} : { maxCostUsd: flags.maxCost };
  const checked = await checkFlowFile(file, {
    env: process.env,
    ...maxCost,
    ...(model === undefined ? {} : { model }),
  });
  // Doubts are shown before anything is paid for; errors are shown by the run's own check.
  if (checked.plan !== null && checked.text !== "") terminal.err(checked.text);
  const view = makeLiveView(terminal, (text) => void process.stderr.write(text));
  const controller = new AbortController();
  const onInterrupt = (): void => {
    // The second time the user wants out at once; what is done is in the log already.
    if (controller.signal.aborted) process.exit(130);
    terminal.err("Stopping; once more to leave at once.");
    controller.abort();
  };
  process.on("SIGINT", onInterrupt);
  const dashboard =
    flags.dashboard === undefined
      ? undefined
      : await serveDashboard({
          runs: flags.out,
          port: typeof flags.dashboard === "string" ? Number(flags.dashboard) : 3001,
        });
  if (dashboard !== undefined) terminal.err(`Dashboard: ${dashboard.url}`);
  try {
    const outcome = await runFlowFile(file, {
      ...flowHost(),
      input: readInput(flags.input),
      rng: Rng.fromSeed(Number(seed)),
      seed,
      clock: (startMs) => {
        const base = Date.now() - startMs;
        return makeRealClock(() => Date.now() - base);
      },
      folder,
      graphs: flags.graphs ?? false,
      recordContent: flags.recordContent ?? false,
      stream: flags.stream,
      force: flags.force ?? false,
      answers: Object.fromEntries(flags.answer.map(parseAnswer)),
      signal: controller.signal,
      onEvent: view.onEvent,
      ...(model === undefined ? {} : { model }),
      ...maxCost,
      ...(terminal.isInteractive && process.stdin.isTTY === true
        ? { onHuman: (request: HumanRequest) => askPerson(request, view.end) }
        : {}),
    });
    view.end();
    if (outcome.kind === "bad_file") throw new CheckFailed(outcome.text);
    const { result } = outcome;
    if (flags.json === true) terminal.out(JSON.stringify({ ...result, folder }, null, 2));
    else {
      const values = Object.values(result.outputs);
      if (result.status === "completed" || result.status === "budget_exceeded")
        terminal.out(values.length === 1 ? text(values[0]) : JSON.stringify(result.outputs, null, 2));
      for (const human of result.pending)
        terminal.err(
          `Waiting: ${human.prompt}\n  praxis flow run ${file} --resume ${folder} --answer ${human.token}=VALUE`,
        );
      terminal.err(
        `${result.status}; ${result.usage.llmCalls} calls, ${result.usage.inputTokens + result.usage.outputTokens} tokens${result.costUsd === null ? "" : `, $${result.costUsd.toFixed(6)}`}; ${folder}`,
      );
    }
    if (result.status !== "completed" && result.status !== "suspended")
      throw new CheckFailed(result.error === null ? "" : `${result.error.code} ${result.error.message}`);
  } finally {
    process.off("SIGINT", onInterrupt);
    await dashboard?.close();
  }
}

function stem(file: string): string {
  return file
    .slice(file.lastIndexOf("/") + 1)
    .replace(/\.ya?ml$/i, "")
    .replace(/[^\w.-]/g, "_");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function readInput(given: string | undefined): string {
  if (given === undefined) return "";
  if (!given.startsWith("@")) return given;
  const path = given.slice(1);
  if (!existsSync(path)) throw new PraxisError("INVALID_CONFIG", `The input file '${path}' does not exist.`);
  return readFileSync(path, "utf8");
}

function parseAnswer(pair: string): readonly [string, unknown] {
  const at = pair.indexOf("=");
  if (at === -1) throw new PraxisError("INVALID_CONFIG", `--answer is TOKEN=VALUE, not '${pair}'.`);
  return [pair.slice(0, at), parseValue(pair.slice(at + 1))];
}

/** JSON where it is some, else text. */
function parseValue(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

async function askPerson(request: HumanRequest, pause: () => void): Promise<unknown> {
  pause();
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const hint = request.schema === undefined || request.schema === null ? "" : ` (${JSON.stringify(request.schema)})`;
    const answer = await reader.question(`${request.prompt}${hint}\nAnswer, or nothing to decide later: `);
    return answer === "" ? undefined : hint === "" ? answer : parseValue(answer);
  } finally {
    reader.close();
  }
}

/** A run's folder by its path or by its name under the folder of runs. */
function runFolder(name: string, out: string): string {
  for (const folder of [name, join(out, name)]) if (existsSync(folder) && statSync(folder).isDirectory()) return folder;
  throw new PraxisError("INVALID_CONFIG", `There is no run '${name}', here or under '${out}'.`);
}

async function check(files: readonly string[], flags: { readonly json?: boolean }, terminal: Terminal): Promise<void> {
  const all = [];
  let errors = 0;
  for (const file of files) {
    const checked = await checkFlowFile(file, { env: process.env });
    errors += checked.problems.filter((problem) => problem.severity === "error").length;
    all.push(...checked.problems);
    if (flags.json === true) continue;
    if (checked.text !== "") terminal.out(checked.text);
    else terminal.out(`${file}: good`);
  }
  if (flags.json === true) terminal.out(JSON.stringify(all, null, 2));
  if (errors > 0) throw new CheckFailed(flags.json === true ? "" : `${errors} ${errors === 1 ? "error" : "errors"}.`);
}

async function replay(
  name: string,
  flags: { readonly out: string; readonly json?: boolean; readonly force?: boolean },
  terminal: Terminal,
): Promise<void> {
  const folder = runFolder(name, flags.out);
  const view = makeLiveView({ ...terminal, isInteractive: false }, () => undefined);
  const { result, equal, recorded } = await replayRun(folder, {
    ...flowHost(),
    rng: Rng.fromSeed(Number(readRunMeta(folder).seed)),
    force: flags.force ?? false,
    ...(flags.json === true ? {} : { onEvent: view.onEvent }),
  });
  if (flags.json === true)
    terminal.out(JSON.stringify({ equal, status: result.status, outputs: result.outputs, recorded }, null, 2));
  else
    terminal.err(
      equal
        ? "The replay gave what the run gave."
        : `The replay differs: ${result.status}${result.error === null ? "" : `, ${result.error.code} ${result.error.message}`}.`,
    );
  if (!equal) throw new CheckFailed("");
}
