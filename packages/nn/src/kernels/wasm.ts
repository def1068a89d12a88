import { NnError } from "../errors.ts";
import { CheckedKernels } from "./checked.ts";
import { Heap } from "./heap.ts";
import type { Kernels } from "./kernels.ts";
import { camelCase, type RawKernels } from "./raw.ts";

const PAGES_PER_MIB = 16;

export interface WasmKernelsOptions {
  /** Size of the set's memory, 4 to 4095 MiB, default 512; it is reserved, not used, until touched. */
  readonly memoryMiB?: number;
}

/** `sgemm` of the module: one product, addresses in bytes. */
type RawSgemm = (
  transposeA: number,
  transposeB: number,
  m: number,
  n: number,
  k: number,
  alpha: number,
  a: number,
  lda: number,
  b: number,
  ldb: number,
  beta: number,
  c: number,
  ldc: number,
  scratch: number,
) => void;

/**
 * Kernels in WASM SIMD, from the bytes of `kernels.wasm`. Needs no Node built-in. Gives
 * the same bits on every machine, as it uses neither fused multiply-add nor the platform's libm.
 */
export async function loadWasmKernels(
  source: ArrayBuffer | Uint8Array<ArrayBuffer>,
  options: WasmKernelsOptions = {},
): Promise<Kernels> {
  const { memoryMiB = 512 } = options;
  if (!(Number.isInteger(memoryMiB) && memoryMiB >= 4 && memoryMiB <= 4095)) {
    throw new NnError("BAD_OPTION", `memoryMiB is ${memoryMiB}; it must be an integer from 4 to 4095.`);
  }
  const pages = memoryMiB * PAGES_PER_MIB;
  let memory: WebAssembly.Memory;
  try {
    memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  } catch (cause) {
    throw new NnError("OUT_OF_MEMORY", `${memoryMiB} MiB of WASM memory cannot be reserved; lower memoryMiB.`, {
      cause,
    });
  }
  const { exports } = (await WebAssembly.instantiate(source, { env: { memory } })).instance;
  const base = exports.__heap_base;
  if (!(base instanceof WebAssembly.Global)) {
    throw new NnError("BAD_FILE", "The WASM module is not kernels.wasm: it has no __heap_base.");
  }
  const heap = new Heap(memory, base.value);
  // Every export but the memory layout is a kernel of RawKernels with addresses for arrays; build-wasm.mjs lists them.
  const raw = Object.fromEntries(
    Object.entries(exports).map(([name, value]) => [camelCase(name), value]),
  ) as unknown as RawKernels<number> & { readonly scratchFloats: () => number };
  const product = exports.sgemm as RawSgemm;
  const adamProduct = exports.adam_product as (...addressesAndNumbers: number[]) => void;
  const scratch = heap.floats(raw.scratchFloats()).byteOffset;
  const kernels: RawKernels<number> = {
    ...raw,
    sgemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch, strideA, strideB, strideC, oa, ob, oc) {
      for (let i = 0; i < batch; i++) {
        const ai = a + 4 * (oa + i * strideA);
        const bi = b + 4 * (ob + i * strideB);
        product(ta, tb, m, n, k, alpha, ai, lda, bi, ldb, beta, c + 4 * (oc + i * strideC), ldc, scratch);
      }
    },
    adamProduct(rows, cols, k, x, offsetX, ...rest) {
      adamProduct(rows, cols, k, x + 4 * offsetX, ...rest, scratch);
    },
  };
  return new CheckedKernels("wasm", "wasm (SIMD, 1 thread)", kernels, {
    floats: (length) => heap.floats(length),
    ints: (length) => heap.ints(length),
    free: (array) => heap.free(array),
    ref: (array) => heap.addressOf(array),
    none: 0,
  });
}
