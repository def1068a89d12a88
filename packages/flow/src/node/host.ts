import { dirname, resolve } from "node:path";
import type { Environment } from "../config/environment.ts";
import type { FlowPlan } from "../config/plan.ts";
import type { DelegationPolicy } from "../engine/delegation-policy.ts";
import type { RunOptions } from "../engine/run.ts";
import { FlowError } from "../errors.ts";
import type { Embedder } from "../memory/embedder.ts";
import { makeHttpEmbedder } from "../memory/http-embedder.ts";
import { makeInMemoryStore } from "../memory/in-memory-store.ts";
import type { Memory } from "../memory/memory.ts";
import { makePineconeStore } from "../memory/pinecone-store.ts";
import { makeMemory } from "../memory/service.ts";
import type { MemoryStore } from "../memory/store.ts";
import { makeModelFactory } from "../providers/factory.ts";
import type { Fetch } from "../providers/http-models.ts";
import type { SpecialistSampler } from "../providers/simulated.ts";
import { makeToolSource } from "../tools/source.ts";
import type { Tool } from "../tools/tool.ts";
import type { SearchAdapter } from "../tools/web-search.ts";
import { builtInTools } from "./built-in-tools.ts";
import { loadGguf } from "./gguf.ts";
import { importPackage } from "./import-package.ts";
import { openLocalStore } from "./local-store.ts";
import { connectMcp } from "./mcp.ts";

/** What a process hands in: its clocks, environment and what other packages make. */
export interface HostOptions {
  /** Ms since 1970. */
  readonly now: () => number;
  readonly env: Environment;
  readonly fetch: Fetch;
  /** Embedders by the name of the file's `memory.embedder`; "hash384" also serves context and delegation. */
  readonly embedders?: Readonly<Record<string, () => Promise<Embedder>>>;
  readonly sampler?: SpecialistSampler;
  readonly tools?: readonly Tool[];
  readonly search?: SearchAdapter;
  readonly policies?: (name: string, plan: FlowPlan) => Promise<DelegationPolicy | undefined>;
}

/** The parts of a run that reach out of it, on Node. */
export async function makeHost(options: HostOptions): Promise<
  Pick<RunOptions, "models" | "tools" | "memory" | "wallNow"> & {
    readonly embedder?: Embedder;
    readonly policies?: NonNullable<RunOptions["policies"]>;
  }
> {
  const embedder = await options.embedders?.hash384?.();
  return {
    models: makeModelFactory({
      fetch: options.fetch,
      gguf: loadGguf,
      importPackage,
      ...(options.sampler === undefined ? {} : { sampler: options.sampler }),
    }),
    tools: makeToolSource({
      builtIns: builtInTools({
        now: options.now,
        fetch: options.fetch,
        ...(options.search === undefined ? {} : { search: options.search }),
      }),
      connect: connectMcp,
      ...(options.tools === undefined ? {} : { tools: options.tools }),
    }),
    memory: (plan) => openMemory(plan, options),
    wallNow: options.now,
    ...(embedder === undefined ? {} : { embedder }),
    ...(options.policies === undefined ? {} : { policies: options.policies }),
  };
}

async function openMemory(plan: FlowPlan, options: HostOptions): Promise<Memory | undefined> {
  const { memory } = plan;
  if (memory === undefined) return undefined;
  const embedder = await embedderOf(plan, options);
  if (memory.dimension !== undefined && memory.dimension !== embedder.dim)
    throw new FlowError(
      "E242",
      "internal",
      `The memory has vectors of length ${memory.dimension}, the embedder '${embedder.id}' makes ${embedder.dim}.`,
    );
  return makeMemory(
    await openStore(plan, embedder, options),
    embedder,
    { maxRecords: memory.maxRecords, ttlDays: memory.ttlDays },
    options.now,
  );
}

async function openStore(plan: FlowPlan, embedder: Embedder, options: HostOptions): Promise<MemoryStore> {
  const memory = plan.memory!;
  switch (memory.kind) {
    case "memory":
      return makeInMemoryStore({ embedder: embedder.id, dimension: embedder.dim });
    case "local":
      return openLocalStore({
        dir: resolve(dirname(plan.file), memory.dir),
        namespace: memory.namespace,
        embedder: embedder.id,
        dimension: embedder.dim,
        now: options.now,
      });
    case "pinecone": {
      if (memory.host === undefined || memory.apiKey === undefined)
        throw new FlowError("E409", "invalid_request", "A pinecone memory needs 'host' and 'api_key_env'.");
      const store = makePineconeStore({
        host: memory.host,
        apiKey: memory.apiKey,
        namespace: memory.namespace,
        embedder: embedder.id,
        dimension: embedder.dim,
        fetch: options.fetch,
      });
      const { dimension } = await store.stats();
      if (dimension !== embedder.dim)
        throw new FlowError(
          "E242",
          "internal",
          `The index has vectors of length ${dimension}, the embedder '${embedder.id}' makes ${embedder.dim}. Nothing was changed.`,
        );
      return store;
    }
  }
}

async function embedderOf(plan: FlowPlan, options: HostOptions): Promise<Embedder> {
  const memory = plan.memory!;
  if (memory.embedder === "openai_compatible") {
    const model = plan.models.get(memory.embedderModel ?? "");
    if (model === undefined)
      throw new FlowError(
        "E409",
        "invalid_request",
        "The embedder openai_compatible needs 'embedder_model', the id of a model of the file.",
      );
    return makeHttpEmbedder(model, options.fetch);
  }
  const make = options.embedders?.[memory.embedder];
  if (make === undefined)
    throw new FlowError("E409", "invalid_request", `The embedder '${memory.embedder}' is not at hand here.`);
  return make();
}
