import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** One compilation of native/kernels.c: vector length in floats, register tile in rows and vectors, compiler flags. */
interface InstructionSet {
  readonly name: string;
  readonly vector: number;
  readonly tileRows: number;
  readonly tileVectors: number;
  readonly flags: readonly string[];
}

// The tile fills the registers: 16 of them hold 4 x 3 sums beside what is loaded, 32 hold 8 x 3 or 6 x 4.
const X64: readonly InstructionSet[] = [
  { name: "sse2", vector: 4, tileRows: 4, tileVectors: 2, flags: [] },
  { name: "avx2", vector: 8, tileRows: 4, tileVectors: 3, flags: ["-mavx2", "-mfma"] },
  {
    name: "avx512",
    vector: 16,
    tileRows: 8,
    tileVectors: 3,
    flags: ["-mavx512f", "-mavx512dq", "-mavx512vl", "-mfma", "-mprefer-vector-width=512"],
  },
];
const ARM64: readonly InstructionSet[] = [{ name: "neon", vector: 4, tileRows: 6, tileVectors: 4, flags: [] }];
const OTHER: readonly InstructionSet[] = [{ name: "plain", vector: 4, tileRows: 4, tileVectors: 2, flags: [] }];

const COMPILERS = ["cc", "gcc", "clang"];
const FLAGS = [
  "-O3",
  "-fPIC",
  "-fvisibility=hidden",
  "-ffp-contract=fast",
  "-fno-math-errno",
  "-fno-trapping-math",
  "-w",
];
const packageRoot = fileURLToPath(new URL("../../", import.meta.url));
const sourceFolder = join(packageRoot, "native");
const buildFolder = join(packageRoot, "build");

export interface NativeBuildOptions {
  /** Compilers to look for, in order; default cc, gcc, clang. */
  readonly compilers?: readonly string[];
  /** Where the addon is kept; default `build/` in this package. */
  readonly folder?: string;
}

/** The addon's file, or why there is none. */
export type NativeBuild = { readonly path: string; readonly built: boolean } | { readonly reason: string };

function instructionSets(): readonly InstructionSet[] {
  return process.arch === "x64" ? X64 : process.arch === "arm64" ? ARM64 : OTHER;
}

/** The file's name carries a hash of what it was built from, so that an old one is never loaded for new sources. */
function addonPath(folder: string): string {
  const hash = createHash("sha256").update(JSON.stringify([instructionSets(), FLAGS]));
  for (const name of readdirSync(sourceFolder).sort()) hash.update(name).update(readFileSync(join(sourceFolder, name)));
  return join(folder, `praxis-nn-${process.platform}-${process.arch}-${hash.digest("hex").slice(0, 12)}.node`);
}

/** Runs a command in the source folder; null when it succeeded, else what it said. */
function run(command: string, args: readonly string[]): string | null {
  const { status, error, stderr } = spawnSync(command, args, { cwd: sourceFolder, encoding: "utf8" });
  if (error !== undefined) return error.message;
  return status === 0 ? null : `${command} ended with ${status}: ${stderr.slice(0, 500)}`;
}

function compile(compiler: string, folder: string, output: string): string | null {
  const objects: string[] = [];
  const compileOne = (source: string, object: string, flags: readonly string[]): string | null => {
    objects.push(join(folder, object));
    return run(compiler, [...FLAGS, ...flags, "-c", source, "-o", join(folder, object)]);
  };
  for (const set of instructionSets()) {
    const shape = [`-DVL=${set.vector}`, `-DMR=${set.tileRows}`, `-DNV=${set.tileVectors}`, `-DSUFFIX=${set.name}`];
    const problem = compileOne("kernels.c", `${set.name}.o`, [...set.flags, ...shape]);
    if (problem !== null) return problem;
  }
  const problem = compileOne("threads.c", "threads.o", []) ?? compileOne("addon.c", "addon.o", []);
  if (problem !== null) return problem;
  // Sleeping threads must not lose their code when the last environment that loaded the addon ends: nodelete.
  const link =
    process.platform === "darwin"
      ? ["-bundle", "-undefined", "dynamic_lookup"]
      : ["-shared", "-pthread", "-s", "-Wl,-z,nodelete"];
  return run(compiler, [...link, ...objects, "-o", output]);
}

/** Removes addons of this machine's kind that were built from other sources. */
function removeOlder(folder: string, path: string): void {
  const prefix = `praxis-nn-${process.platform}-${process.arch}-`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix) && join(folder, name) !== path) rmSync(join(folder, name), { force: true });
  }
}

/**
 * The native addon for this machine: as found in `build/`, else compiled there now with the C compiler on the path, which
 * takes some seconds once.
 */
export function buildNative({ compilers = COMPILERS, folder = buildFolder }: NativeBuildOptions = {}): NativeBuild {
  const path = addonPath(folder);
  if (existsSync(path)) return { path, built: false };
  if (process.platform === "win32") return { reason: "the native kernels are not built on Windows" };
  const compiler = compilers.find((name) => run(name, ["--version"]) === null);
  if (compiler === undefined) return { reason: `no C compiler was found (${compilers.join(", ")})` };
  let work: string | undefined;
  try {
    mkdirSync(folder, { recursive: true });
    work = mkdtempSync(join(folder, "work-"));
    const output = join(work, "addon.node");
    const problem = compile(compiler, work, output);
    if (problem !== null) return { reason: `the native kernels did not compile: ${problem}` };
    // Renaming is atomic: two processes that build at once both end with a whole file.
    renameSync(output, path);
    removeOlder(folder, path);
    return { path, built: true };
  } catch (error) {
    return {
      reason: `the native kernels could not be built: ${error instanceof Error ? error.message : String(error)}`,
    };
  } finally {
    if (work !== undefined) rmSync(work, { recursive: true, force: true });
  }
}
