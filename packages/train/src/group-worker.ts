import { type EnvDefinition, Rng, type RngState } from "@praxis/env";
import { type DefinitionSource, importDefinition, serveCalls } from "@praxis/env/worker";
import type { KernelName } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { collectGroups, type GroupPlan } from "./groups.ts";
import { makeSmallAgent, type SmallAgentSettings } from "./small-agent.ts";

/** What a worker is started with. */
export interface GroupWorkerSetup extends DefinitionSource {
  /** The caller's own set, so that numbers are equal. */
  readonly kernels: KernelName;
  readonly settings: SmallAgentSettings;
}

/** A call to a worker. */
export type GroupWorkerCall =
  | {
      readonly kind: "collect";
      readonly plan: Omit<GroupPlan, "rng"> & { readonly rng: RngState };
      /** Of the policy's parameters in their order. */
      readonly weights: readonly Float32Array[];
    }
  | { readonly kind: "close" };

await serveCalls<GroupWorkerSetup, GroupWorkerCall, null>(async (setup) => {
  const definition = (await importDefinition(setup)) as EnvDefinition;
  const { kernels } = await selectKernels(setup.kernels);
  // Weights come with every call, so any stream will do.
  const agent = makeSmallAgent(definition, { kernels, rng: Rng.fromSeed(0), settings: setup.settings });
  return {
    ready: null,
    answer(call) {
      if (call.kind === "close") return null;
      agent.policy.parameters().forEach(({ data }, i) => {
        data.set(call.weights[i]!);
      });
      return collectGroups({ definition, kernels, ...agent }, { ...call.plan, rng: Rng.restore(call.plan.rng) });
    },
  };
});
