import { homedir } from "node:os";
import { PraxisError } from "@praxis/env";
import { hash384, makeMiniLm } from "@praxis/llm";
import { findMiniLmFiles } from "@praxis/llm/node";
import { selectKernels } from "@praxis/nn/node";
import type { EmbedText } from "@praxis/spindleflow";

/**
 * The embedder of an id as checkpoints name it. MiniLM's weights come from the folder PRAXIS_MINILM, else from the first of the
 * user's cache, the registry package and the model hub; a line on stderr says which. Throws INVALID_CONFIG where none has them, and for an
 * unknown id.
 */
export async function loadTextEmbedder(id: string): Promise<EmbedText> {
  if (id === hash384.id) return (text) => hash384.embed(text);
  if (id !== "minilm") throw new PraxisError("INVALID_CONFIG", `There is no embedder '${id}' here.`);
  const path = process.env.PRAXIS_MINILM;
  try {
    const files = await findMiniLmFiles({
      ...(path === undefined || path === "" ? {} : { path }),
      ...{
        env: process.env,
        home: homedir(),
        fetch: globalThis.fetch,
        report: (line: string) => void process.stderr.write(`${line}\n`),
      },
    });
    const { kernels } = await selectKernels("wasm");
    const miniLm = makeMiniLm(kernels, files);
    return (text) => miniLm.embed(text);
  } catch (cause) {
    throw new PraxisError(
      "INVALID_CONFIG",
      "This orchestrator reads texts by all-MiniLM-L6-v2, whose weights (91 MB) are neither here nor to be had: PRAXIS_MINILM may name their folder.",
      { cause },
    );
  }
}
