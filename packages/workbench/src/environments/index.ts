import type { EnvironmentModule } from "./module.ts";
import { polyguard } from "./polyguard/index.ts";
import { spindleflow } from "./spindleflow/index.ts";

/** Environments with pages of their own. */
const MODULES: readonly EnvironmentModule[] = [polyguard, spindleflow];

/** The page of an environment, or null where its schemas have to do. */
export function moduleOf(name: string): EnvironmentModule | null {
  return MODULES.find((module) => module.name === name) ?? null;
}
