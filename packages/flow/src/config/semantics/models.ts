import { CONTEXT_WINDOWS, DEFAULT_WINDOW, estimateTokens, FREE_PROVIDERS, KEY_VARIABLES } from "../defaults.ts";
import { allSteps, asList, asMap, asString, type DraftStep } from "../draft.ts";
import { type Environment, missingVariables, stringsIn, usesEnvironment } from "../environment.ts";
import type { ProviderKind } from "../model-schema.ts";
import { pathText } from "../schema-problems.ts";
import { checkModelReference } from "./agents.ts";
import type { Names } from "./collect.ts";
import type { Reach } from "./reach.ts";

/** Checks models: the default, fallbacks, secrets, prices and windows. */
export function checkModels(
  names: Names,
  reach: Reach | undefined,
  root: DraftStep | undefined,
  env: Environment,
  limitsMoney: boolean,
): void {
  const { document } = names;
  for (const key of ["provider", "default_model"])
    checkModelReference(names, document, [key], asString(document.data[key]));
  for (const model of names.models.values()) {
    for (const [i, id] of asList(model.raw.fallback).entries())
      if (typeof id === "string") checkModelReference(names, model.document, [...model.path, "fallback", i], id);
    const key = asString(model.raw.api_key);
    if (key !== undefined && !usesEnvironment(key))
      names.report(
        "W301",
        model.document.valueRange([...model.path, "api_key"]),
        `${pathText([...model.path, "api_key"])} is written out; name an environment variable with api_key_env instead.`,
      );
  }
  for (const [i, limits] of Object.keys(asMap(document.data.rate_limits) ?? {}).entries())
    checkRateKey(names, limits, i);
  if (reach === undefined || root === undefined) return;
  checkSecrets(names, reach, env);
  checkPrices(names, reach, root, limitsMoney);
  checkWindows(names, reach);
}

function checkRateKey(names: Names, key: string, _index: number): void {
  const known = new Set([
    ...Object.keys(KEY_VARIABLES),
    ...names.models.keys(),
    ...[...names.models.values()].map((model) => String(model.raw.provider)),
  ]);
  if (known.has(key)) return;
  names.report(
    "E204",
    names.document.keyRange(["rate_limits", key]),
    `rate_limits names "${key}", which is neither a provider nor a model.`,
    { known: [...known] },
  );
}

function checkSecrets(names: Names, reach: Reach, env: Environment): void {
  for (const id of reach.models) {
    const model = names.models.get(id);
    if (model === undefined) continue;
    for (const [path, text] of stringsIn(model.raw))
      for (const name of missingVariables(text, env))
        missing(names, model.document.valueRange([...model.path, ...path]), name, `the model "${id}"`);
    const variable =
      asString(model.raw.api_key_env) ??
      (asString(model.raw.api_key) === undefined ? KEY_VARIABLES[model.raw.provider as ProviderKind] : null);
    if (variable === null || variable === undefined || (env[variable] ?? "") !== "") continue;
    missing(
      names,
      asString(model.raw.api_key_env) === undefined
        ? model.document.keyRange(model.path)
        : model.document.valueRange([...model.path, "api_key_env"]),
      variable,
      `the model "${id}"`,
    );
  }
  for (const name of reach.servers)
    for (const [path, text] of stringsIn(names.servers[name]))
      for (const variable of missingVariables(text, env))
        missing(names, names.document.valueRange(["mcp_servers", name, ...path]), variable, `the server "${name}"`);
  const memory = asMap(names.document.data.memory) ?? asMap(names.document.data.pinecone_config);
  const base = names.document.data.memory === undefined ? "pinecone_config" : "memory";
  for (const [path, text] of stringsIn(memory))
    for (const variable of missingVariables(text, env))
      missing(names, names.document.valueRange([base, ...path]), variable, "the memory store");
  const keyVariable = asString(memory?.api_key_env);
  if (keyVariable !== undefined && (env[keyVariable] ?? "") === "")
    missing(names, names.document.valueRange([base, "api_key_env"]), keyVariable, "the memory store");
  for (const [tool, settings] of Object.entries({
    ...asMap(names.document.data.tool_config),
    ...asMap(names.document.data.tools),
  })) {
    const variable = asString(asMap(settings)?.api_key_env);
    if (variable !== undefined && (env[variable] ?? "") === "")
      missing(
        names,
        names.document.keyRange([names.document.data.tools === undefined ? "tool_config" : "tools", tool]),
        variable,
        `the tool "${tool}"`,
      );
  }
}

function missing(names: Names, range: Parameters<Names["report"]>[1], variable: string, user: string): void {
  names.report("E241", range, `The environment variable ${variable} is not set, and ${user} needs it.`);
}

/** W303 or E243 for every reachable model without a price while money is limited. */
function checkPrices(names: Names, reach: Reach, root: DraftStep, limitsMoney: boolean): void {
  const budgets = [
    asMap(names.document.data.budgets),
    ...[...allSteps(root)].map((step) => asMap(step.raw.budget)),
    ...[...reach.agents.values()].map((agent) => asMap(agent.raw.budget)),
  ];
  const limiting = budgets.filter((budget) => budget?.max_cost_usd !== undefined);
  if (limiting.length === 0 && !limitsMoney) return;
  // A limit that was asked for at the command line and can't be kept must not look as if it were.
  const strict = limitsMoney || limiting.some((budget) => budget?.on_unknown_price === "error");
  for (const id of reach.models) {
    const model = names.models.get(id);
    if (model === undefined || model.raw.price !== undefined || FREE_PROVIDERS.includes(String(model.raw.provider)))
      continue;
    names.report(
      strict ? "E243" : "W303",
      model.document.keyRange(model.path),
      `Money is limited, but the model "${id}" has no price; its calls can't be counted.`,
    );
  }
}

/** W304: role, goal, instructions and schema alone take over half of the window. */
function checkWindows(names: Names, reach: Reach): void {
  for (const agent of reach.agents.values()) {
    const model = names.models.get(asString(agent.raw.model) ?? names.defaultModel ?? "");
    if (model === undefined) continue;
    const window =
      typeof model.raw.context_window === "number"
        ? model.raw.context_window
        : (CONTEXT_WINDOWS[model.raw.provider as ProviderKind] ?? DEFAULT_WINDOW);
    const fixed =
      [agent.raw.role, agent.raw.goal, agent.raw.instructions].filter((text) => typeof text === "string").join("\n") +
      JSON.stringify(asMap(agent.raw.output)?.schema ?? "");
    const tokens = estimateTokens(fixed);
    if (tokens > window / 2)
      names.report(
        "W304",
        agent.document.valueRange([...agent.path, "id"]),
        `The fixed part of the prompt of "${agent.id}" takes about ${tokens} of the ${window} tokens of "${model.id}".`,
      );
  }
}
