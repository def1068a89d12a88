import { existsSync } from "node:fs";
import { join } from "node:path";
import { PraxisError } from "@praxis/env";
import { checkpointsFolder } from "@praxis/polyguard";
import { hashLearnedPolicy, isLearnedPolicy } from "./learned-policy.ts";

/** Names that learned policies play under: before any training, after SFT, after GRPO. */
export const LEARNED_POLICIES = ["base", "sft", "grpo"] as const;

/** True for the name of a learned policy. */
export function isLearnedName(name: string): boolean {
  return (LEARNED_POLICIES as readonly string[]).includes(name);
}

/**
 * Folder of a learned policy: of a pipeline, or, without one, of those that ship with PolyGuard. Throws VALIDATION_ERROR with the
 * command that makes it where there is none.
 */
export function findLearned(name: string, pipeline?: string): string {
  const root = pipeline ?? checkpointsFolder();
  const folder = [join(root, "policies", name), join(root, name)].find(isLearnedPolicy);
  if (folder !== undefined) return folder;
  throw new PraxisError(
    "VALIDATION_ERROR",
    pipeline === undefined
      ? `No policy '${name}' ships with PolyGuard. Train one with praxis pipeline polyguard, then name its folder with --learned.`
      : existsSync(pipeline)
        ? `'${pipeline}' holds no policy '${name}' yet. Go on with: praxis pipeline polyguard --out ${pipeline}`
        : `There is no folder '${pipeline}'. Train one with praxis pipeline polyguard.`,
  );
}

/** Learned policies that ship with PolyGuard. */
export function shippedLearned(): readonly string[] {
  return LEARNED_POLICIES.filter((name) => isLearnedPolicy(join(checkpointsFolder(), name)));
}

/** Learned policies among names, as an evaluation wants them. */
export function learnedAmong(names: readonly string[], pipeline?: string) {
  return names.filter(isLearnedName).map((name) => {
    const folder = findLearned(name, pipeline);
    return { name, folder, ablation: "none", hash: hashLearnedPolicy(folder) };
  });
}
