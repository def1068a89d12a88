import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ModelPlan } from "../config/plan.ts";
import { FlowError } from "../errors.ts";
import type { Fetch } from "../providers/http-models.ts";
import type { Embedder } from "./embedder.ts";

/** Embeddings of an OpenAI-compatible server (`POST /embeddings`). The dimension is learned from a first call. @throws FlowError E409 */
export async function makeHttpEmbedder(plan: ModelPlan, fetch: Fetch): Promise<Embedder> {
  if (plan.baseUrl === undefined)
    throw new FlowError("E409", "invalid_request", `The embedder model '${plan.id}' needs a base_url.`);
  const provider = createOpenAICompatible({
    name: "compatible",
    baseURL: plan.baseUrl.replace(/\/+$/, ""),
    headers: { ...plan.headers },
    fetch,
    ...(plan.apiKey === undefined ? {} : { apiKey: plan.apiKey }),
  });
  const model = provider.embeddingModel(plan.model);
  const embed = async (texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]> => {
    const { embeddings } = await model.doEmbed({
      values: [...texts],
      ...(signal === undefined ? {} : { abortSignal: signal }),
    });
    return embeddings.map((values) => {
      const vector = Float32Array.from(values);
      const length = Math.hypot(...vector);
      return length === 0 ? vector : vector.map((value) => value / length);
    });
  };
  try {
    const [probe] = await embed(["dimension"]);
    return { id: `openai_compatible:${plan.model}`, dim: probe?.length ?? 0, embed };
  } catch (error) {
    throw new FlowError("E409", "internal", `The embedder model '${plan.id}' failed: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
