import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { formatPlainData, PraxisError, parsePlainData, type SavedEnv } from "@praxis/env";
import { formatSafetensors, type NamedArray, parseSafetensors, toFloat32 } from "@praxis/nn";

/** Everything that a run needs to go on as if it had never stopped. */
export interface Checkpoint {
  readonly algorithm: "ppo" | "sft" | "grpo";
  readonly envId: string;
  readonly weights: ReadonlyMap<string, NamedArray>;
  /** Moments of the optimiser and memories of running episodes. */
  readonly optimizer: ReadonlyMap<string, NamedArray>;
  /** Counters, random streams, normalisers: plain JSON. */
  readonly state: unknown;
  /** Running episodes; null when there are none. */
  readonly environments: readonly SavedEnv[] | null;
}

const VERSION = 1;

/**
 * Writes a checkpoint as a folder: `policy.safetensors`, `optimizer.safetensors`, `state.json`, `environments.json`. Atomic: the
 * folder is complete or absent, also after a power cut. Throws VALIDATION_ERROR if it exists, and NOT_SUPPORTED when an
 * environment's snapshot holds what is no plain data.
 */
export function writeCheckpoint(folder: string, checkpoint: Checkpoint): void {
  const { algorithm, envId, weights, optimizer, state, environments } = checkpoint;
  const files: [string, Uint8Array][] = [
    ["policy.safetensors", formatSafetensors(weights, { algorithm, envId })],
    ["optimizer.safetensors", formatSafetensors(optimizer)],
    ["state.json", Buffer.from(`${JSON.stringify({ version: VERSION, algorithm, envId, state })}\n`)],
  ];
  if (environments !== null) files.push(["environments.json", Buffer.from(`${formatPlainData(environments)}\n`)]);
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
  try {
    for (const [name, bytes] of files) writeSynced(join(work, name), bytes);
    renameSync(work, folder);
  } catch (cause) {
    rmSync(work, { recursive: true, force: true });
    throw new PraxisError(
      "VALIDATION_ERROR",
      `The checkpoint '${folder}' could not be written: it may exist already.`,
      {
        cause,
      },
    );
  }
  const parent = openSync(dirname(folder), "r");
  fsyncSync(parent);
  closeSync(parent);
}

function writeSynced(path: string, bytes: Uint8Array): void {
  const file = openSync(path, "wx");
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Reads what {@link writeCheckpoint} wrote. Throws VALIDATION_ERROR naming the folder when it is none or of another version. */
export function readCheckpoint(folder: string): Checkpoint {
  try {
    const read = (name: string): Uint8Array => readFileSync(join(folder, name));
    const text = (name: string): string => readFileSync(join(folder, name), "utf8");
    const header = JSON.parse(text("state.json")) as {
      readonly version: number;
      readonly algorithm: Checkpoint["algorithm"];
      readonly envId: string;
      readonly state: unknown;
    };
    if (header.version !== VERSION)
      throw new Error(`its version is ${header.version}; this version of Praxis reads ${VERSION}`);
    const hasEnvironments = readdirSync(folder).includes("environments.json");
    return {
      ...{ algorithm: header.algorithm, envId: header.envId, state: header.state },
      weights: readTensors(read("policy.safetensors")),
      optimizer: readTensors(read("optimizer.safetensors")),
      environments: hasEnvironments ? (parsePlainData(text("environments.json")) as readonly SavedEnv[]) : null,
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PraxisError("VALIDATION_ERROR", `'${folder}' is not a checkpoint that can be read: ${reason}.`, {
      cause,
    });
  }
}

function readTensors(file: Uint8Array): ReadonlyMap<string, NamedArray> {
  return new Map([...parseSafetensors(file).tensors].map(([name, stored]) => [name, toFloat32(stored)]));
}

/** The newest checkpoint folder below `folder` by step number, or null; unfinished ones are hidden and passed over. */
export function latestCheckpoint(folder: string): string | null {
  const stepOf = (name: string): number => Number(/^step-(\d+)$/.exec(name)?.[1] ?? -1);
  const names = readdirSync(folder)
    .filter((name) => stepOf(name) >= 0)
    .sort((a, b) => stepOf(a) - stepOf(b));
  const newest = names[names.length - 1];
  return newest === undefined ? null : join(folder, newest);
}

/** Name of the checkpoint folder after so many environment steps. */
export function checkpointName(steps: number): string {
  return `step-${String(steps).padStart(9, "0")}`;
}
