import { readFile } from "node:fs/promises";
import { NnError } from "../errors.ts";
import type { KernelName, Kernels } from "../kernels/kernels.ts";
import { makeReferenceKernels } from "../kernels/reference.ts";
import { loadWasmKernels, type WasmKernelsOptions } from "../kernels/wasm.ts";
import { loadNativeKernels, type NativeKernelsOptions } from "./native.ts";

export const KERNEL_CHOICES = ["auto", "native", "wasm", "reference"] as const;

export interface KernelSelection {
  readonly kernels: Kernels;
  /** One line for people: the set in use, and with `auto` why it is not the native one. */
  readonly line: string;
}

/** The bytes of the `kernels.wasm` that ships with this package. */
export async function readWasmKernels(): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(new URL("../../kernels.wasm", import.meta.url)));
}

/**
 * The kernel set of that name. `auto` takes the native one, or WASM with the reason in `line`; a set that is asked for by
 * name and cannot be had throws `KERNELS_UNAVAILABLE`.
 */
export async function selectKernels(
  choice: KernelName | "auto" = "auto",
  options: NativeKernelsOptions & WasmKernelsOptions = {},
): Promise<KernelSelection> {
  const describe = (kernels: Kernels, because = ""): KernelSelection => ({
    kernels,
    line: `kernels: ${kernels.description}${because}`,
  });
  switch (choice) {
    case "reference":
      return describe(makeReferenceKernels());
    case "wasm":
      return describe(await loadWasmKernels(await readWasmKernels(), options));
    case "native":
      return describe(loadNativeKernels(options));
    case "auto":
      try {
        return describe(loadNativeKernels(options));
      } catch (error) {
        if (!(error instanceof NnError && error.code === "KERNELS_UNAVAILABLE")) throw error;
        return describe(await loadWasmKernels(await readWasmKernels(), options), `; ${error.message}`);
      }
    default:
      throw new NnError("BAD_OPTION", `Unknown kernels '${choice}'. Choose ${KERNEL_CHOICES.join(", ")}.`);
  }
}
