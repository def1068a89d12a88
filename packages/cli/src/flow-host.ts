import type { DelegationPolicy, Embedder } from "@praxis/flow";
import type { HostOptions } from "@praxis/flow/node";
import { hash384 } from "@praxis/llm";

/** Orchestrators of `delegate` steps by the name in the flow file; undefined = there is none of that name. */
async function loadDelegationPolicy(name: string): Promise<DelegationPolicy | undefined> {
  if (!name.startsWith("spindleflow:")) return undefined;
  const own = name.slice("spindleflow:".length);
  if (own !== "cascade") return (await import("./spindleflow/live-orchestrator.ts")).liveOrchestratorOf(own);
  const { makeLiveCascade } = await import("@praxis/spindleflow");
  return makeLiveCascade();
}

/** What this process hands to flows: clock, environment variables, network and embedder. */
export function flowHost(): HostOptions {
  const embedder: Embedder = {
    id: hash384.id,
    dim: hash384.dim,
    embedSync: (text) => hash384.embed(text),
    embed: async (texts) => texts.map((text) => hash384.embed(text)),
  };
  return {
    now: Date.now,
    env: process.env,
    fetch: globalThis.fetch,
    embedders: { hash384: async () => embedder },
    policies: loadDelegationPolicy,
  };
}
