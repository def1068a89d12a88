import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ModelPlan } from "../config/plan.ts";
import { FlowError } from "../errors.ts";
import type { LanguageModel } from "./model.ts";

/** `fetch`, handed in so that a host can watch or redirect traffic. */
export type Fetch = typeof globalThis.fetch;

/** The model of an HTTP provider, by its AI SDK package. @throws FlowError E401 where the file lacks what it needs */
export function makeHttpModel(plan: ModelPlan, fetch: Fetch): LanguageModel {
  const headers = { ...plan.headers };
  const keyed = {
    headers,
    fetch,
    ...(plan.baseUrl === undefined ? {} : { baseURL: plan.baseUrl.replace(/\/+$/, "") }),
    ...(plan.apiKey === undefined ? {} : { apiKey: plan.apiKey }),
  };
  switch (plan.provider) {
    case "openai":
      return createOpenAI(withKey(plan, keyed)).chat(plan.model);
    case "anthropic":
      return createAnthropic(withKey(plan, keyed))(plan.model);
    case "gemini":
      return createGoogleGenerativeAI(withKey(plan, keyed))(plan.model);
    case "openai_compatible": {
      if (plan.baseUrl === undefined)
        throw new FlowError(
          "E401",
          "invalid_request",
          `The model '${plan.id}' needs a base_url: an openai_compatible server has no address of its own.`,
        );
      return createOpenAICompatible({
        ...keyed,
        baseURL: plan.baseUrl.replace(/\/+$/, ""),
        name: "compatible",
        includeUsage: true,
        supportsStructuredOutputs: true,
      }).chatModel(plan.model);
    }
    default:
      throw new FlowError("E401", "invalid_request", `'${plan.provider}' is no HTTP provider.`);
  }
}

/** The packages would look into the process's environment for a key; here only the file decides. */
function withKey<T extends object>(plan: ModelPlan, settings: T): T & { readonly apiKey: string } {
  if (plan.apiKey === undefined || plan.apiKey === "")
    throw new FlowError("E401", "auth", `The model '${plan.id}' has no key; set its api_key_env.`);
  return { ...settings, apiKey: plan.apiKey };
}
