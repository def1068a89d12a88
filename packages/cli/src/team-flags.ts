import { didYouMean, PraxisError } from "@praxis/env";
import {
  ABLATIONS,
  MODEL_ROLES,
  makeChatModel,
  PLANNINGS,
  type PlannerCriticSetup,
  TEAM_MODES,
} from "@praxis/polyguard";

/** Flags of the policy planner_critic as the command line gives them. */
export interface TeamFlags {
  readonly mode?: string;
  readonly without?: string[];
  readonly planning?: string;
  readonly modelUrl?: string;
  readonly modelName?: string;
  readonly modelKey?: string;
  readonly modelRoles?: string[];
}

/** How planner_critic is to play. */
export type TeamSetup = Omit<PlannerCriticSetup, "kb">;

/** Reads the flags of planner_critic; null when none is given. Throws UNKNOWN_NAME with the nearest name. */
export function readTeamFlags(flags: TeamFlags): TeamSetup | null {
  const { mode, without, planning, modelUrl, modelName, modelKey, modelRoles } = flags;
  if ([mode, without, planning, modelUrl].every((flag) => flag === undefined)) return null;
  const options = {
    ...(mode === undefined ? {} : { mode: oneOf("--mode", mode, TEAM_MODES) }),
    ...(without === undefined ? {} : { without: without.map((each) => oneOf("--without", each, ABLATIONS)) }),
    ...(planning === undefined ? {} : { planning: oneOf("--planning", planning, PLANNINGS) }),
  };
  if (modelUrl === undefined) return { options };
  return {
    options,
    model: {
      roles: (modelRoles ?? ["planner"]).map((each) => oneOf("--model-roles", each, MODEL_ROLES)),
      ask: makeChatModel({
        baseUrl: modelUrl,
        model: modelName ?? "default",
        ...(modelKey === undefined ? {} : { apiKey: modelKey }),
      }),
    },
  };
}

function oneOf<T extends string>(flag: string, name: string, known: readonly T[]): T {
  const found = known.find((each) => each === name);
  if (found !== undefined) return found;
  throw new PraxisError(
    "UNKNOWN_NAME",
    `Unknown ${flag} '${name}'.${didYouMean(name, known)} Known: ${known.join(", ")}.`,
  );
}
