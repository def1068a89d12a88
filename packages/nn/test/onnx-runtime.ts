import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A tensor of the runtime. */
export interface OrtTensor {
  readonly data: unknown;
}

/** What the tests use of onnxruntime-web. */
export interface OnnxRuntime {
  readonly env: { readonly wasm: { numThreads: number }; logLevel: string };
  readonly Tensor: new (type: string, data: BigInt64Array | Float32Array, shape: readonly number[]) => OrtTensor;
  readonly InferenceSession: {
    create(
      file: Uint8Array,
      options?: { readonly graphOptimizationLevel: "disabled" },
    ): Promise<{
      readonly inputNames: readonly string[];
      readonly outputNames: readonly string[];
      run(feeds: Record<string, OrtTensor>): Promise<Record<string, OrtTensor>>;
    }>;
  };
}

/** The runtime from `.peers` at the repository's root, where `.ci/run` installs it; null where it is not (139 MB are not everybody's). */
export async function loadOnnxRuntime(): Promise<OnnxRuntime | null> {
  const peers = fileURLToPath(new URL("../../../.peers/package.json", import.meta.url));
  try {
    const entry = createRequire(peers).resolve("onnxruntime-web");
    const loaded = (await import(pathToFileURL(entry).href)) as OnnxRuntime & { readonly default?: OnnxRuntime };
    return loaded.default ?? loaded;
  } catch {
    return null;
  }
}
