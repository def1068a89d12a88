import { didYouMean, PraxisError } from "@praxis/env";
import { ABLATIONS, DEFAULT_TEAM, PLANNINGS, TEAM_MODES, type TeamOptions } from "../agents/options.ts";
import { TEAM_PLAYS } from "../agents/plays.ts";
import type { SubEnvironment } from "../scenario/types.ts";

/** Ways in which planner_critic can play other than its own, by name: `mode:`, `without:` or `planning:` and what. */
export const TEAM_VARIANTS: readonly string[] = [
  ...TEAM_MODES.filter((mode) => mode !== DEFAULT_TEAM.mode).map((mode) => `mode:${mode}`),
  ...ABLATIONS.map((part) => `without:${part}`),
  ...PLANNINGS.filter((planning) => planning !== DEFAULT_TEAM.planning).map((planning) => `planning:${planning}`),
];

/** The options of a variant. Throws UNKNOWN_NAME with the nearest name. */
export function teamVariant(name: string): Partial<TeamOptions> {
  const value = name.slice(name.indexOf(":") + 1);
  const mode = TEAM_MODES.find((each) => each === value);
  const part = ABLATIONS.find((each) => each === value);
  const planning = PLANNINGS.find((each) => each === value);
  if (TEAM_VARIANTS.includes(name)) {
    if (mode !== undefined) return { mode };
    if (part !== undefined) return { without: [part] };
    if (planning !== undefined) return { planning };
  }
  throw new PraxisError(
    "UNKNOWN_NAME",
    `Unknown ablation '${name}'.${didYouMean(name, TEAM_VARIANTS)} Known: ${TEAM_VARIANTS.join(", ")}.`,
  );
}

/** Why a variant cannot act in a sub-environment; null = it can. */
export function variantIsIdle(sub: SubEnvironment, name: string): string | null {
  const { mode, planning } = teamVariant(name);
  const play = TEAM_PLAYS[sub];
  if (play.kind === "specialist") return `${play.title.toLowerCase()} plays here, and no role decides`;
  if (!play.isPlanned && (mode === "lightweight_debate" || planning === "both"))
    return "the rules lead here, and nothing is looked ahead";
  return null;
}
