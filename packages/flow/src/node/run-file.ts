import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CheckedFlow, checkFlow } from "../config/check.ts";
import type { FlowPlan } from "../config/plan.ts";
import { formatProblems, type Problem } from "../config/problem.ts";
import { type Clock, VirtualClock } from "../engine/clock.ts";
import type { FlowEvent } from "../engine/events.ts";
import { type FlowResult, type FlowRun, runFlow } from "../engine/run.ts";
import type { FlowRng, HumanRequest } from "../engine/run-context.ts";
import { fitInput } from "../engine/steps/subflow.ts";
import { FlowError } from "../errors.ts";
import { diskFiles } from "./files.ts";
import { type HostOptions, makeHost } from "./host.ts";
import { writeReports } from "./reports.ts";
import { isRunFolder, openRunFolder, readRunLog } from "./run-folder.ts";

/** How a flow file is run. */
export interface RunFileOptions extends HostOptions {
  readonly input: unknown;
  readonly rng: FlowRng;
  /** Named in the run's folder, so that a resumed run draws the same. */
  readonly seed: string;
  /** Clock of a run whose last event was at that time. */
  readonly clock: (startMs: number) => Clock;
  /** Folder of the run: new, or of an earlier part to go on with. Without one nothing is written. */
  readonly folder?: string;
  /** Model that stands in for the default of the file. */
  readonly model?: string;
  readonly maxCostUsd?: number;
  readonly graphs?: boolean;
  readonly recordContent?: boolean;
  readonly stream?: boolean;
  readonly force?: boolean;
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: FlowEvent) => void;
  readonly onHuman?: (request: HumanRequest) => Promise<unknown>;
  /** Called once the run exists, for answers and cancellation while it runs. */
  readonly onStart?: (run: FlowRun) => void;
}

/** A run's end, or the problems that kept it from beginning. */
export type RunFileOutcome =
  | { readonly kind: "bad_file"; readonly problems: readonly Problem[]; readonly text: string }
  | {
      readonly kind: "ran";
      readonly result: FlowResult;
      readonly folder: string | undefined;
      readonly warnings: readonly Problem[];
    };

/** What the folder tells about how the run was made. */
export interface RunMeta {
  readonly v: 1;
  readonly file: string;
  readonly seed: string;
  readonly model: string | null;
}

/** Checks flow files; `text` is ready to be shown. */
export async function checkFlowFile(
  file: string,
  options: Pick<HostOptions, "env" | "tools"> & { readonly model?: string; readonly maxCostUsd?: number },
): Promise<CheckedFlow & { readonly text: string }> {
  const checked = await checkFlow(file, {
    files: diskFiles,
    env: options.env,
    hostTools: (options.tools ?? []).map((tool) => tool.name),
    ...(options.model === undefined ? {} : { model: options.model }),
    limitsMoney: options.maxCostUsd !== undefined,
  });
  return { ...checked, text: formatProblems(checked.problems, checked.texts) };
}

/** Checks and runs a flow file; goes on with the run of `folder` when that holds one. */
export async function runFlowFile(file: string, options: RunFileOptions): Promise<RunFileOutcome> {
  const checked = await checkFlowFile(file, options);
  if (checked.plan === null) return { kind: "bad_file", problems: checked.problems, text: checked.text };
  const plan = withCostLimit(checked.plan, options.maxCostUsd);
  // A run that can't begin leaves no folder.
  if (options.folder === undefined || !isRunFolder(options.folder))
    fitInput(options.input, plan.inputSchema, plan.name);
  const host = await makeHost(options);
  const folder = options.folder === undefined ? undefined : openRunFolder(options.folder);
  if (folder !== undefined && folder.entries.length === 0) {
    const meta: RunMeta = { v: 1, file, seed: options.seed, model: options.model ?? null };
    writeFileSync(join(folder.path, "run.json"), `${JSON.stringify(meta, null, 2)}\n`);
  }
  try {
    const run = runFlow({
      plan,
      input: options.input,
      rng: options.rng,
      clock: options.clock(folder?.lastTime ?? 0),
      ...host,
      recordContent: options.recordContent ?? false,
      stream: options.stream ?? false,
      force: options.force ?? false,
      answers: options.answers ?? {},
      ...(folder === undefined
        ? {}
        : { log: { entries: folder.entries, sink: folder.sink }, firstSeq: folder.firstSeq }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(options.onHuman === undefined ? {} : { onHuman: options.onHuman }),
      onEvent: (event) => {
        folder?.onEvent(event);
        options.onEvent?.(event);
      },
    });
    options.onStart?.(run);
    const result = await run.result;
    if (folder !== undefined)
      writeReports(folder.path, { plan, text: checked.texts.get(file) ?? "", result, graphs: options.graphs ?? false });
    return { kind: "ran", result, folder: folder?.path, warnings: checked.problems };
  } finally {
    folder?.close();
  }
}

function withCostLimit(plan: FlowPlan, maxCostUsd: number | undefined): FlowPlan {
  if (maxCostUsd === undefined) return plan;
  const base = plan.budget ?? {
    maxTokens: undefined,
    maxCostUsd: undefined,
    maxLlmCalls: undefined,
    maxToolCalls: undefined,
    maxWallMs: undefined,
    warnAt: 0.8,
    onExceeded: "finalize",
    finalizeTokens: 2_000,
  };
  return {
    ...plan,
    budget: { ...base, maxCostUsd: Math.min(maxCostUsd, base.maxCostUsd ?? Number.POSITIVE_INFINITY) },
  };
}

/** How a run was made. @throws FlowError E412 for a folder without a run */
export function readRunMeta(folder: string): RunMeta {
  const path = join(folder, "run.json");
  if (!existsSync(path) || !isRunFolder(folder))
    throw new FlowError("E412", "invalid_request", `'${folder}' holds no run of a flow.`);
  return JSON.parse(readFileSync(path, "utf8")) as RunMeta;
}

/**
 * Plays a run again from its log, without any call of a model or tool, and compares with what it gave.
 *
 * @throws FlowError E412 when the folder holds no run, or the file has changed and `force` is not set
 */
export async function replayRun(
  folder: string,
  options: Pick<RunFileOptions, "now" | "env" | "fetch" | "embedders" | "tools" | "rng" | "onEvent" | "force"> & {
    readonly file?: string;
  },
): Promise<{ readonly result: FlowResult; readonly equal: boolean; readonly recorded: unknown }> {
  const meta = readRunMeta(folder);
  const file = options.file ?? meta.file;
  const checked = await checkFlowFile(file, {
    env: options.env,
    ...(options.tools === undefined ? {} : { tools: options.tools }),
    ...(meta.model === null ? {} : { model: meta.model }),
  });
  if (checked.plan === null)
    throw new FlowError("E412", "invalid_request", `The file '${file}' of the run has problems:\n${checked.text}`);
  const host = await makeHost(options);
  // Replies, results and answers only: steps are walked anew.
  const entries = readRunLog(folder).filter(
    (entry) => entry.kind !== "step" && entry.kind !== "branch" && entry.kind !== "end",
  );
  const run = runFlow({
    plan: checked.plan,
    input: undefined,
    rng: options.rng,
    clock: new VirtualClock(),
    ...host,
    log: { entries },
    replay: true,
    force: options.force ?? false,
    ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
  });
  const result = await run.result;
  const resultFile = join(folder, "result.json");
  const recorded = existsSync(resultFile)
    ? (JSON.parse(readFileSync(resultFile, "utf8")) as { readonly status?: string; readonly outputs?: unknown })
    : null;
  const equal =
    recorded !== null &&
    recorded.status === result.status &&
    JSON.stringify(recorded.outputs) === JSON.stringify(result.outputs);
  return { result, equal, recorded: recorded?.outputs ?? null };
}
