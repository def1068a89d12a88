import { type Kernels, makeReferenceKernels, NnError } from "../src/index.ts";
import { loadNativeKernels, nativeInstructionSets, selectKernels } from "../src/node/index.ts";

/** Why there are no native kernels here; null: there are. */
export const whyNoNative: string | null = (() => {
  try {
    nativeInstructionSets();
    return null;
  } catch (error) {
    if (error instanceof NnError && error.code === "KERNELS_UNAVAILABLE") return error.message;
    throw error;
  }
})();

const wasm = (await selectKernels("wasm", { memoryMiB: 256 })).kernels;

/** Every fast set that this machine can run: WASM, and native once for each instruction set and with threads. */
export const fastSets: readonly Kernels[] = [
  wasm,
  ...(whyNoNative === null
    ? [
        ...nativeInstructionSets().map((instructionSet) => loadNativeKernels({ instructionSet })),
        loadNativeKernels({ threads: 3 }),
      ]
    : []),
];

export const reference = makeReferenceKernels();
export const allSets: readonly Kernels[] = [reference, ...fastSets];

/** A copy of `values` in a set's memory. */
export function put(kernels: Kernels, values: ArrayLike<number>): Float32Array {
  const array = kernels.floats(values.length);
  array.set(values);
  return array;
}

export function putInts(kernels: Kernels, values: ArrayLike<number>): Int32Array {
  const array = kernels.ints(values.length);
  array.set(values);
  return array;
}
