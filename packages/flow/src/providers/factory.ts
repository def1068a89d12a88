import type { ModelPlan } from "../config/plan.ts";
import { FlowError } from "../errors.ts";
import { type Fetch, makeHttpModel } from "./http-models.ts";
import type { LanguageModel, ModelContext, ModelExtras, ModelFactory } from "./model.ts";
import { makeScriptedModel, type ScriptedCall } from "./scripted.ts";
import { makeSimulatedModel, type SpecialistSampler } from "./simulated.ts";

/** What the host hands in for models. */
export interface ModelHost {
  readonly fetch: Fetch;
  /** Simulates specialists with a profile. */
  readonly sampler?: SpecialistSampler;
  /** Loads a local model file; absent where there is no such runtime. */
  readonly gguf?: (plan: ModelPlan, context: ModelContext) => Promise<LanguageModel & ModelExtras>;
  /** Imports a provider package as seen from the flow file. */
  readonly importPackage?: (name: string, file: string) => Promise<Readonly<Record<string, unknown>>>;
}

/** Makes models of every kind: built-in ones, local files, and provider packages by name. */
export function makeModelFactory(host: ModelHost): ModelFactory {
  return async (plan, context) => {
    switch (plan.provider) {
      case "simulated":
        return makeSimulatedModel(plan, context, host.sampler);
      case "scripted":
        return makeScriptedModel((plan.options.replies ?? []) as readonly ScriptedCall[], {
          clock: context.clock,
          modelId: plan.model,
        });
      case "gguf":
        if (host.gguf === undefined)
          throw new FlowError(
            "E401",
            "invalid_request",
            `The model '${plan.id}' is a local file, which can't be run here.`,
          );
        return host.gguf(plan, context);
      case "openai":
      case "openai_compatible":
      case "anthropic":
      case "gemini":
        return makeHttpModel(plan, host.fetch);
      default:
        return makePackageModel(plan, host);
    }
  };
}

type MakeProvider = (settings: Readonly<Record<string, unknown>>) => unknown;

/** The model of any AI SDK provider package: its export `create…` makes the provider, which makes the model. */
async function makePackageModel(plan: ModelPlan, host: ModelHost): Promise<LanguageModel> {
  const name = plan.provider.replace(/^npm:/, "");
  if (host.importPackage === undefined)
    throw new FlowError("E401", "invalid_request", `The provider package '${name}' can't be loaded here.`);
  const module = await host.importPackage(name, plan.file);
  const makers = Object.entries(module).filter(
    ([key, value]) => /^create[A-Z]/.test(key) && typeof value === "function",
  );
  const make = makers[0]?.[1] as MakeProvider | undefined;
  if (make === undefined)
    throw new FlowError(
      "E401",
      "invalid_request",
      `The package '${name}' exports no 'create…' function, so it is no AI SDK provider.`,
    );
  const settings = {
    headers: plan.headers,
    fetch: host.fetch,
    ...(plan.baseUrl === undefined ? {} : { baseURL: plan.baseUrl }),
    ...(plan.apiKey === undefined ? {} : { apiKey: plan.apiKey }),
  };
  const provider = make(settings) as ((id: string) => unknown) & { readonly languageModel?: (id: string) => unknown };
  const model = provider.languageModel === undefined ? provider(plan.model) : provider.languageModel(plan.model);
  if (
    typeof model !== "object" ||
    model === null ||
    (model as { specificationVersion?: unknown }).specificationVersion !== "v3"
  )
    throw new FlowError(
      "E401",
      "invalid_request",
      `The package '${name}' makes models of another interface version; one that fits AI SDK 6 (specification v3) is needed.`,
    );
  return model as LanguageModel;
}
