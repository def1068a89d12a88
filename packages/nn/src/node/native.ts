import { createRequire } from "node:module";
import { NnError } from "../errors.ts";
import { CheckedKernels } from "../kernels/checked.ts";
import type { Kernels } from "../kernels/kernels.ts";
import { camelCase, type RawKernels } from "../kernels/raw.ts";
import { buildNative, type NativeBuildOptions } from "./build.ts";

export interface NativeKernelsOptions {
  /** Threads for large products and for Adam, 1 to 64, default 1. The numbers do not depend on it. */
  readonly threads?: number;
  /** One of {@link nativeInstructionSets}; default the best this processor has. */
  readonly instructionSet?: string;
  readonly build?: NativeBuildOptions;
}

type Arrays = Float32Array | Int32Array | null;
type Threaded<F extends (...args: never[]) => void> = (...args: [...Parameters<F>, threads: number]) => void;

interface Addon {
  readonly instructionSets: readonly string[];
  kernels(instructionSet: string): Record<string, unknown> | null;
}

function loadAddon(options: NativeBuildOptions = {}): Addon {
  const build = buildNative(options);
  if ("reason" in build) throw new NnError("KERNELS_UNAVAILABLE", `Native kernels are not available: ${build.reason}.`);
  try {
    return createRequire(import.meta.url)(build.path) as Addon;
  } catch (cause) {
    throw new NnError("KERNELS_UNAVAILABLE", `Native kernels could not be loaded from ${build.path}.`, { cause });
  }
}

/** Instruction sets of the addon that this processor can run, best first; throws `KERNELS_UNAVAILABLE`. */
export function nativeInstructionSets(): readonly string[] {
  return loadAddon().instructionSets;
}

/** The compiled kernels, built on first use; throws `KERNELS_UNAVAILABLE` with the reason when that cannot be done. */
export function loadNativeKernels(options: NativeKernelsOptions = {}): Kernels {
  const { threads = 1 } = options;
  if (!(Number.isInteger(threads) && threads >= 1 && threads <= 64)) {
    throw new NnError("BAD_OPTION", `threads is ${threads}; it must be an integer from 1 to 64.`);
  }
  const addon = loadAddon(options.build);
  const instructionSet = options.instructionSet ?? addon.instructionSets[0]!;
  const functions = addon.kernels(instructionSet);
  if (functions === null) {
    throw new NnError(
      "KERNELS_UNAVAILABLE",
      `This processor has no '${instructionSet}' kernels. It has ${addon.instructionSets.join(", ")}.`,
    );
  }
  // addon.c exports exactly the kernels of RawKernels, under C's names.
  const raw = Object.fromEntries(
    Object.entries(functions).map(([name, value]) => [camelCase(name), value]),
  ) as unknown as RawKernels<Arrays>;
  const sgemm = raw.sgemm as Threaded<RawKernels<Arrays>["sgemm"]>;
  const adam = raw.adam as Threaded<RawKernels<Arrays>["adam"]>;
  const adamProduct = raw.adamProduct as Threaded<RawKernels<Arrays>["adamProduct"]>;
  const kernels: RawKernels<Arrays> = {
    ...raw,
    sgemm: (...args) => sgemm(...args, threads),
    adam: (...args) => adam(...args, threads),
    adamProduct: (...args) => adamProduct(...args, threads),
  };
  const description = `native (${instructionSet}, ${threads} ${threads === 1 ? "thread" : "threads"})`;
  return new CheckedKernels<Arrays>("native", description, kernels, {
    floats: (length) => new Float32Array(length),
    ints: (length) => new Int32Array(length),
    free: () => undefined,
    ref: (array) => array,
    none: null,
  });
}
