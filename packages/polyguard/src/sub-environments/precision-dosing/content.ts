import type { DoseOption } from "../../pharmacology/dose-options.ts";
import type { DosingCovariates, DosingModel } from "../../pharmacology/dosing-model.ts";
import type { LevelPoint } from "../../pharmacology/estimate.ts";

/** A drug that is dosed by level: the patient behind it. Latent. */
export interface ModelContent {
  readonly kind: "model";
  readonly model: DosingModel;
  readonly medRef: string;
  readonly drugIndex: number;
  /** True values. */
  readonly covariates: DosingCovariates;
  /** True random effects on the log scale. */
  readonly eta: readonly number[];
  /** Each step ends with a level; else it must be ordered. */
  readonly isLevelIncluded: boolean;
}

/** A list of doses to be brought inside dose ranges and renal rules. */
export interface RenalContent {
  readonly kind: "renal";
}

/** What a dosing scenario is about. */
export type DosingContent = ModelContent | RenalContent;

/** A dose from a course day on; 0 = held. */
export interface DoseSpan extends DoseOption {
  readonly fromDay: number;
}

/** The treatment so far. Immutable; the model's state is never written to again. */
export interface ModelSpecial {
  readonly kind: "model";
  /** State of the dosing model today. */
  readonly state: Float64Array;
  /** Days of treatment, and attainment summed over them. */
  readonly days: number;
  readonly attained: number;
  /** Attainment at the ends of the steps so far; null = none yet. */
  readonly lastAttainment: number | null;
  readonly secondLastAttainment: number | null;
  readonly wasToxic: boolean;
  readonly doses: readonly DoseSpan[];
  /** As reported. */
  readonly levels: readonly LevelPoint[];
  readonly isGenotypeKnown: boolean;
}

/** How well the doses of the list were so far. */
export interface RenalSpecial {
  readonly kind: "renal";
  /** Share of the wrong doses put right, summed over the days so far. */
  readonly attained: number;
  readonly days: number;
}

/** Own state of a dosing episode. */
export type DosingSpecial = ModelSpecial | RenalSpecial;

/** Order code of a pharmacogenetic test. */
export const GENOTYPE_ORDER = "GENOTYPE";

/** Content and state of a drug that is dosed by level. */
export interface OfModel {
  readonly content: ModelContent;
  readonly special: ModelSpecial;
}

/** The standing of a dosed drug, whatever else it holds; null in renal-dose mode and in other sub-environments. */
export function asModel<At extends { readonly content: unknown; readonly special: unknown }>(
  at: At,
): (Omit<At, "content" | "special"> & OfModel) | null {
  const { content, special } = at;
  return isModelContent(content) && isModelSpecial(special) ? { ...at, content, special } : null;
}

function isModelContent(content: unknown): content is ModelContent {
  return isOfModel(content) && "model" in content;
}

function isModelSpecial(special: unknown): special is ModelSpecial {
  return isOfModel(special) && "levels" in special;
}

function isOfModel(value: unknown): value is { readonly kind: "model" } {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "model";
}
