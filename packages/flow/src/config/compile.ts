import { assertNever, FlowError } from "../errors.ts";
import { hash64 } from "../hash.ts";
import {
  CONTEXT_WINDOWS,
  DEFAULT_CONTEXT,
  DEFAULT_MEMORY_DIR,
  DEFAULT_NAMESPACE,
  DEFAULT_RETRY,
  DEFAULT_WINDOW,
  KEY_VARIABLES,
} from "./defaults.ts";
import { asList, asMap, asString, type DraftStep, type Raw } from "./draft.ts";
import { type Environment, expandDeep, stringsIn, variableValues } from "./environment.ts";
import type { ProviderKind } from "./model-schema.ts";
import type { AgentPlan, AgentStep, FlowPlan, MemoryPlan, ModelPlan, ServerPlan, StepPlan } from "./plan.ts";
import {
  budgetPlan,
  contextPlan,
  feedbackKeys,
  fileStem,
  guardrail,
  joinPlan,
  mustExpression,
  mustTemplate,
  number,
  onError,
  position,
  pricePlan,
  rateLimit,
  retryPlan,
  strings,
} from "./plan-parts.ts";
import type { DraftAgent, Names } from "./semantics/collect.ts";
import type { FlowSources } from "./sources.ts";

/** What {@link compileFlow} needs; everything has passed the checks. */
export interface CompileInput {
  readonly sources: FlowSources;
  readonly names: Names;
  readonly root: DraftStep;
  readonly env: Environment;
  readonly subflow: (file: string) => FlowPlan;
}

/** Turns a file that passed all checks into a plan: defaults filled in, aliases joined, secrets expanded, templates parsed. */
export function compileFlow(input: CompileInput): FlowPlan {
  return new Compiler(input).flow();
}

class Compiler {
  readonly #input: CompileInput;
  readonly #names: Names;
  readonly #secrets = new Set<string>();
  readonly #defaults: Raw;
  readonly #agents = new Map<string, AgentPlan>();

  constructor(input: CompileInput) {
    this.#input = input;
    this.#names = input.names;
    this.#defaults = asMap(input.names.document.data.defaults) ?? {};
  }

  flow(): FlowPlan {
    const { document } = this.#names;
    const { data } = document;
    const models = new Map(
      [...this.#names.models.values()].map((model) => [model.id, this.#model(model.id, model.raw)]),
    );
    for (const agent of this.#names.agents.values()) this.#agent(agent);
    for (const [id, raw] of this.#names.catalog) this.#specialist(id, raw);
    const workflow = this.#step(this.#input.root);
    const outputs = Object.entries(asMap(data.outputs) ?? {}).map(
      ([name, text]) => [name, mustExpression(String(text))] as const,
    );
    const inner = [...this.#input.sources.subflows.keys()].map((file) => this.#input.subflow(file));
    const texts = [
      document.text,
      ...this.#input.sources.includes.map((included) => included.text),
      ...inner.map((plan) => plan.hash),
    ];
    const memory = this.#memory();
    const servers = this.#servers();
    return {
      file: document.file,
      name: asString(data.name) ?? fileStem(document.file),
      hash: hash64(JSON.stringify(texts)),
      models,
      defaultModel: this.#names.defaultModel!,
      agents: this.#agents,
      workflow,
      toolSettings: this.#toolSettings(),
      servers,
      memory,
      budget: budgetPlan(asMap(data.budgets)),
      rateLimits: new Map(
        Object.entries(asMap(data.rate_limits) ?? {}).map(([key, value]) => [key, rateLimit(asMap(value) ?? {})]),
      ),
      outputs: outputs.length > 0 ? outputs : [["result", mustExpression(`outputs["${workflow.id}"]`)]],
      inputSchema: asMap(data.input) ?? { type: "string" },
      secrets: [...this.#secrets, ...inner.flatMap((plan) => plan.secrets)],
    };
  }

  #expand(raw: Raw): Raw {
    for (const [, text] of stringsIn(raw))
      for (const value of variableValues(text, this.#input.env)) this.#secrets.add(value);
    return expandDeep(raw, this.#input.env) as Raw;
  }

  #model(id: string, written: Raw): ModelPlan {
    const raw = this.#expand(written);
    const provider = String(raw.provider);
    const variable =
      asString(raw.api_key_env) ?? (raw.api_key === undefined ? KEY_VARIABLES[provider as ProviderKind] : null);
    const apiKey =
      asString(raw.api_key) ?? (variable === null || variable === undefined ? undefined : this.#input.env[variable]);
    if (apiKey !== undefined && apiKey !== "") this.#secrets.add(apiKey);
    const defaults = this.#defaults;
    return {
      id,
      provider,
      model: String(raw.model),
      maxTokens: number(raw.max_tokens) ?? number(defaults.max_tokens) ?? 4_096,
      temperature: number(raw.temperature) ?? number(defaults.temperature) ?? 0.2,
      topP: number(raw.top_p),
      seed: number(raw.seed),
      stop: strings(raw.stop),
      baseUrl: asString(raw.base_url),
      apiKey,
      headers: (asMap(raw.headers) ?? {}) as Readonly<Record<string, string>>,
      contextWindow: number(raw.context_window) ?? CONTEXT_WINDOWS[provider as ProviderKind] ?? DEFAULT_WINDOW,
      price: pricePlan(asMap(raw.price), provider),
      fallback: strings(raw.fallback),
      nativeTools: raw.tool_calling === undefined ? provider !== "gguf" : raw.tool_calling === "native",
      nativeSchema: raw.structured_output !== "prompt",
      options: asMap(raw.options) ?? {},
      file: this.#names.document.file,
    };
  }

  #agent(draft: DraftAgent): AgentPlan {
    const known = this.#agents.get(draft.id);
    if (known !== undefined && draft.parent === undefined) return known;
    const { raw } = draft;
    const remembers = raw.enable_persistent_memory === true;
    const memory = asMap(raw.memory);
    const output = asMap(raw.output);
    const rails = asMap(raw.guardrails);
    const byId = new Map(draft.children.map((child) => [child.id, child]));
    const subAgents = asList(raw.sub_agents).map((entry) =>
      typeof entry === "string"
        ? this.#agent(this.#names.agents.get(entry)!)
        : this.#agent(byId.get(String(asMap(entry)?.id))!),
    );
    const plan: AgentPlan = {
      id: draft.id,
      role: String(raw.role),
      goal: String(raw.goal),
      instructions: asString(raw.instructions),
      model: asString(raw.model) ?? this.#names.defaultModel!,
      temperature: number(raw.temperature),
      maxTokens: number(raw.max_tokens),
      tools: [...new Set([...strings(raw.tools), ...strings(raw.mcpTools)])],
      toolConfig: (asMap(raw.tool_config) ?? {}) as AgentPlan["toolConfig"],
      maxToolCalls: number(raw.max_tool_calls) ?? 10,
      subAgents,
      strategy: (asString(raw.delegation_strategy) ?? "auto") as AgentPlan["strategy"],
      maxDelegationDepth: number(raw.max_delegation_depth) ?? 2,
      skipSynthesisIfSingle: raw.skip_synthesis_if_single === true,
      specialization: asString(raw.specialization),
      triggers: strings(raw.trigger_conditions),
      memory: {
        read: memory === undefined ? remembers : (memory.read ?? remembers) === true,
        write: memory === undefined ? remembers : (memory.write ?? remembers) === true,
        topK: number(memory?.top_k) ?? 5,
        minScore: number(memory?.min_score) ?? 0.2,
        scope: memory?.scope === "agent" ? "agent" : "namespace",
      },
      context: contextPlan(asMap(raw.context), contextPlan(asMap(this.#defaults.context), DEFAULT_CONTEXT)),
      output: output === undefined ? undefined : { schema: asMap(output.schema)!, repair: number(output.repair) ?? 1 },
      retry: retryPlan(asMap(raw.retry), retryPlan(asMap(this.#defaults.retry), DEFAULT_RETRY)),
      timeoutMs: number(raw.timeout_ms) ?? number(this.#defaults.timeout_ms),
      budget: budgetPlan(asMap(raw.budget)),
      guardrails: { input: asList(rails?.input).map(guardrail), output: asList(rails?.output).map(guardrail) },
      fallbackAgent: asString(raw.fallback_agent),
      position: position(draft.document, draft.path),
    };
    if (draft.parent === undefined) this.#agents.set(draft.id, plan);
    return plan;
  }

  /** A specialist without an agent of its own becomes one: its description is its goal. */
  #specialist(id: string, raw: Raw): void {
    if (asString(raw.flow_agent) !== undefined || this.#agents.has(id)) return;
    const { document } = this.#names;
    const draft: DraftAgent = {
      id,
      raw: { id, role: raw.role, goal: raw.description },
      document,
      path: ["catalog"],
      parent: undefined,
      children: [],
      references: [],
    };
    this.#agent(draft);
  }

  #step(draft: DraftStep): StepPlan {
    const { raw, kind } = draft;
    const when = asString(raw.when);
    const base = {
      id: draft.id,
      position: position(draft.document, draft.path),
      when: when === undefined ? undefined : mustExpression(when),
      input: typeof raw.input === "string" ? mustTemplate(raw.input) : undefined,
      retry:
        raw.retry === undefined
          ? undefined
          : retryPlan(asMap(raw.retry), retryPlan(asMap(this.#defaults.retry), DEFAULT_RETRY)),
      timeoutMs: number(raw.timeout_ms),
      budget: budgetPlan(asMap(raw.budget)),
      onError: onError(raw.on_error),
      saveAs: asString(raw.save_as),
    };
    const children = (): StepPlan[] => draft.children.map((child) => this.#step(child));
    switch (kind) {
      case "agent":
        return {
          ...base,
          kind,
          agent: draft.agent!,
          model: asString(raw.model),
          temperature: number(raw.temperature),
          maxTokens: number(raw.max_tokens),
          context:
            raw.context === undefined
              ? undefined
              : contextPlan(asMap(raw.context), contextPlan(asMap(this.#defaults.context), DEFAULT_CONTEXT)),
        };
      case "sequential":
        return { ...base, kind, steps: children() };
      case "parallel":
        return this.#parallel(draft, base, children());
      case "feedback":
        return {
          ...base,
          kind,
          produce: children(),
          review: this.#step(draft.closing!) as AgentStep,
          ...feedbackKeys(raw),
          maxConcurrency: number(raw.max_concurrency) ?? 8,
        };
      case "dag":
        return {
          ...base,
          kind,
          nodes: draft.children.map((child) => ({
            name: child.node!.name,
            step: this.#step(child),
            needs: child.node!.needs.map((need) => need.name),
          })),
          maxConcurrency: number(raw.max_concurrency) ?? 8,
        };
      case "branch": {
        const steps = children();
        const cases = asList(raw.cases).map((item, i) => ({
          when: mustExpression(String(asMap(item)?.when)),
          step: steps[i]!,
        }));
        return { ...base, kind, cases, otherwise: steps[cases.length] };
      }
      case "loop":
        return {
          ...base,
          kind,
          body: children()[0]!,
          until: mustExpression(String(raw.until)),
          maxIterations: number(raw.max_iterations) ?? 10,
        };
      case "foreach":
        return {
          ...base,
          kind,
          items: mustExpression(String(raw.items)),
          as: asString(raw.as) ?? "item",
          body: children()[0]!,
          maxConcurrency: number(raw.max_concurrency) ?? 4,
          collect: asString(raw.collect),
        };
      case "subflow":
        return { ...base, kind, flow: this.#input.subflow(String(raw.file)) };
      case "human":
        return {
          ...base,
          kind,
          prompt: mustTemplate(String(raw.prompt)),
          schema: asMap(raw.schema),
          fallback: Object.hasOwn(raw, "default") ? { value: raw.default } : undefined,
        };
      case "delegate":
        return {
          ...base,
          kind,
          roster:
            raw.roster === "catalog"
              ? [...this.#names.catalog].map(([id, specialist]) => asString(specialist.flow_agent) ?? id)
              : strings(raw.roster),
          policy: asString(raw.policy) ?? "greedy",
          maxSteps: number(raw.max_steps) ?? 3,
          slaMs: number(raw.sla_ms),
        };
      case "invalid":
        throw new FlowError("E499", "internal", "A step that failed its checks was compiled.");
      default:
        return assertNever(kind);
    }
  }

  #parallel(
    draft: DraftStep,
    base: Omit<AgentStep, "kind" | "agent" | "model" | "temperature" | "maxTokens" | "context">,
    branches: StepPlan[],
  ): StepPlan {
    const { raw } = draft;
    const loop = asMap(asMap(raw.then)?.feedback_loop);
    const maxConcurrency = number(raw.max_concurrency) ?? 8;
    const closing = draft.closing === undefined ? undefined : (this.#step(draft.closing) as AgentStep);
    if (loop !== undefined && loop.enabled !== false && closing !== undefined)
      return { ...base, kind: "feedback", produce: branches, review: closing, ...feedbackKeys(loop), maxConcurrency };
    const policy = asString(raw.on_branch_error) as "fail_fast" | "continue" | "wait_all" | undefined;
    return {
      ...base,
      kind: "parallel",
      branches,
      aggregator: closing,
      join: joinPlan(raw.join, branches.length),
      onBranchError: policy ?? (closing === undefined ? "fail_fast" : "continue"),
      maxConcurrency,
    };
  }

  #toolSettings(): FlowPlan["toolSettings"] {
    const documents = [...this.#input.sources.includes, this.#names.document];
    const merged: Record<string, Readonly<Record<string, unknown>>> = {};
    for (const document of documents)
      for (const key of ["tool_config", "tools"])
        for (const [tool, settings] of Object.entries(asMap(document.data[key]) ?? {}))
          merged[tool] = { ...merged[tool], ...asMap(settings) };
    for (const [tool, settings] of Object.entries(merged)) {
      const variable = asString(settings.api_key_env);
      const key = variable === undefined ? undefined : this.#input.env[variable];
      if (key === undefined || key === "") continue;
      this.#secrets.add(key);
      merged[tool] = { ...settings, api_key: key };
    }
    return merged;
  }

  #servers(): ReadonlyMap<string, ServerPlan> {
    return new Map(
      Object.entries(this.#names.servers).map(([name, value]) => {
        const raw = this.#expand(asMap(value) ?? {});
        const command = asString(raw.command);
        const record = (entry: unknown): Readonly<Record<string, string>> =>
          (asMap(entry) ?? {}) as Readonly<Record<string, string>>;
        return [
          name,
          {
            name,
            transport:
              command === undefined
                ? { kind: "http", url: String(raw.url), headers: record(raw.headers) }
                : { kind: "stdio", command, args: strings(raw.args), env: record(raw.env), cwd: asString(raw.cwd) },
            timeoutMs: number(raw.timeout_ms) ?? 60_000,
            approval: (asString(raw.approval) ?? "never") as ServerPlan["approval"],
            idempotent: raw.idempotent === true,
          },
        ];
      }),
    );
  }

  #memory(): MemoryPlan | undefined {
    const { data } = this.#names.document;
    const old = asMap(data.pinecone_config);
    const written = asMap(data.memory) ?? (old === undefined ? undefined : { kind: "pinecone", ...old });
    const wanted = [...this.#agents.values()].some(usesMemory);
    if (written === undefined && !wanted) return undefined;
    const raw = this.#expand(written ?? {});
    const variable = asString(raw.api_key_env);
    const apiKey = asString(raw.api_key) ?? (variable === undefined ? undefined : this.#input.env[variable]);
    if (apiKey !== undefined && apiKey !== "") this.#secrets.add(apiKey);
    return {
      kind: (asString(raw.kind) ?? "local") as MemoryPlan["kind"],
      dir: asString(raw.dir) ?? DEFAULT_MEMORY_DIR,
      namespace: asString(raw.namespace) ?? DEFAULT_NAMESPACE,
      embedder: (asString(raw.embedder) ?? "hash384") as MemoryPlan["embedder"],
      embedderModel: asString(raw.embedder_model),
      dimension: number(raw.dimension),
      maxRecords: number(raw.max_records) ?? 10_000,
      ttlDays: number(raw.ttl_days),
      host: asString(raw.host),
      apiKey,
    };
  }
}

function usesMemory(agent: AgentPlan): boolean {
  return agent.memory.read || agent.memory.write || agent.subAgents.some(usesMemory);
}
