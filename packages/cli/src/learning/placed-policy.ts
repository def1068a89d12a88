import { selectKernels } from "@praxis/nn/node";
import type { makePolyguardPolicy } from "@praxis/polyguard";
import type { LearnedPolicyPlace } from "../evaluation/jobs.ts";
import { definitionOf, findAblation } from "./ablations.ts";
import { loadLearnedPolicy } from "./learned-policy.ts";

/** The learned policy of a place, on the quickest kernels there are, reading scenes as it did when it learned. */
export async function placedPolicy({
  name,
  folder,
  ablation,
}: LearnedPolicyPlace): Promise<ReturnType<typeof makePolyguardPolicy>> {
  const { kernels } = await selectKernels("auto");
  const { definition } = definitionOf(findAblation(ablation));
  return loadLearnedPolicy(folder, { definition, kernels, name }) as ReturnType<typeof makePolyguardPolicy>;
}
