import type { SubEnvironment as SubEnvironmentId } from "../scenario/types.ts";
import { ddi } from "./ddi/index.ts";
import type { SubEnvironment } from "./sub-environment.ts";

/** The sub-environments that can be played, by id. */
export const SUB_ENVIRONMENT_TABLE: Readonly<Partial<Record<SubEnvironmentId, SubEnvironment>>> = {
  DDI: ddi,
};
