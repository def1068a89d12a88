import type { SubEnvironment as SubEnvironmentId } from "../scenario/types.ts";
import { alternativeSuggestion } from "./alternative-suggestion/index.ts";
import { banditMining } from "./bandit-mining/index.ts";
import { ddi } from "./ddi/index.ts";
import { longitudinalDeprescribing } from "./longitudinal-deprescribing/index.ts";
import { newDrugDecomposition } from "./new-drug-decomposition/index.ts";
import { precisionDosing } from "./precision-dosing/index.ts";
import { regimenRisk } from "./regimen-risk/index.ts";
import type { SubEnvironment } from "./sub-environment.ts";
import { webSearchMissingData } from "./web-search-missing-data/index.ts";

/** The sub-environments by id. */
export const SUB_ENVIRONMENT_TABLE: Readonly<Record<SubEnvironmentId, SubEnvironment>> = {
  DDI: ddi,
  REGIMEN_RISK: regimenRisk,
  LONGITUDINAL_DEPRESCRIBING: longitudinalDeprescribing,
  ALTERNATIVE_SUGGESTION: alternativeSuggestion,
  BANDIT_MINING: banditMining,
  PRECISION_DOSING: precisionDosing,
  WEB_SEARCH_MISSING_DATA: webSearchMissingData,
  NEW_DRUG_DECOMPOSITION: newDrugDecomposition,
};
