import type { KnowledgeBase } from "../kb/types.ts";
import type { LifeExpectancy } from "../world/types.ts";
import type { Facts } from "./facts.ts";
import { memberTable } from "./member-table.ts";

/** Ids of the omission rules. */
export type OmissionId =
  | "AF_ANTICOAG"
  | "HFREF_RASI"
  | "HFREF_BB"
  | "HFREF_MRA"
  | "HFREF_SGLT2"
  | "VASCULAR_STATIN"
  | "VASCULAR_ANTIPLATELET"
  | "STEROID_BONE"
  | "OSTEOPOROSIS"
  | "METHOTREXATE_FOLATE"
  | "OPIOID_LAXATIVE"
  | "COPD_LAMA"
  | "CKD_DM_PROTECTION";

/** A therapy that is indicated and missing. */
export interface Omission {
  readonly id: OmissionId;
  /** Condition (or drug's need) that asks for it. */
  readonly condition: string;
  /** Groups or drug_ids any of which would answer it. */
  readonly options: readonly string[];
  readonly text: string;
}

/** One active drug as the omission rules see it; the dose is in the unit of its row. */
export interface OmissionDrug {
  readonly drugIndex: number;
  readonly dosePerDay: number;
  readonly daysOfUse: number;
  readonly isPrn: boolean;
}

/** Drugs that protect bone. */
const BONE_PROTECTION: readonly string[] = ["BISPHOS", "RANKL", "SERM"];

/** Groups or drug_ids that answer an omission or bring it about; lists of their own, as their members are kept by list. */
const ANTICOAGULANTS = ["ANTICOAG"];
const ANTIPLATELETS = ["ANTIPLATELET"];
const HFREF_BETA_BLOCKERS = ["BB_SEL", "carvedilol"];
const KIDNEY_PROTECTION = ["RASI", "SGLT2"];
const RAS_INHIBITORS = ["RASI"];
const MINERALOCORTICOID_ANTAGONISTS = ["MRA"];
const SGLT2_INHIBITORS = ["SGLT2"];
const STATINS = ["STATIN"];
const METHOTREXATE = ["METHOTREXATE"];
const FOLATES = ["FOLATE"];
const LAXATIVES = ["LAXATIVE"];
const ANTIMUSCARINIC_INHALERS = ["LAMA"];
const STEROIDS = ["STEROID"];
const OPIOIDS = ["OPIOID"];

/** Steroid use that needs bone protection. Source: STOPP/START v3 and ACR 2022, from 28 days of 5 mg prednisone on. */
const STEROID_DAYS = 28;
const STEROID_DOSE_MG = 5;

/** CHA2DS2-VASc score. Source: Lip 2010. */
export function computeCha2ds2Vasc(facts: Facts): number {
  const has = (...codes: readonly string[]): number => Number(codes.some((code) => facts.conditions.has(code)));
  const age = facts.ageYears >= 75 ? 2 : facts.ageYears >= 65 ? 1 : 0;
  const sex = facts.sex === "F" ? 1 : 0;
  return (
    has("HF", "HFREF") +
    has("HTN", "RESISTANT_HTN") +
    age +
    has("T2DM", "T1DM") +
    2 * has("STROKE_SECONDARY") +
    has("CAD", "PAD", "STENT") +
    sex
  );
}

/**
 * Missing therapies after START v3 (our wording), in a fixed order. None with a life expectancy below a year. A value that
 * is not known is no contraindication.
 */
export function findOmissions(
  kb: KnowledgeBase,
  regimen: readonly OmissionDrug[],
  facts: Facts,
  options: { readonly lifeExpectancy: LifeExpectancy | null; readonly orders: ReadonlySet<string> },
): Omission[] {
  if (options.lifeExpectancy === "<1y") return [];
  const takes = (tokens: readonly string[]): boolean => takesAny(kb, regimen, tokens);
  const has = (code: string): boolean => facts.conditions.has(code);
  const omissions: Omission[] = [];
  const check = (id: OmissionId, isDue: boolean, condition: string, tokens: readonly string[], text: string): void => {
    if (isDue && !takes(tokens)) omissions.push({ id, condition, options: tokens, text });
  };

  const isAnticoagulantDue = has("AF_STROKE") && !has("BLEED_HX") && computeCha2ds2Vasc(facts) >= 2;
  check(
    "AF_ANTICOAG",
    isAnticoagulantDue,
    "AF_STROKE",
    ANTICOAGULANTS,
    "atrial fibrillation with CHA2DS2-VASc of 2 or more without anticoagulant",
  );

  const potassium = facts.potassiumMmolPerL;
  const isHf = has("HFREF");
  // assumption: label limits that make starting a pillar of HFrEF therapy no omission.
  check("HFREF_RASI", isHf && (potassium ?? 0) < 5.5, "HFREF", RAS_INHIBITORS, "HFrEF without RAS inhibitor");
  check(
    "HFREF_BB",
    isHf && (facts.heartRatePerMin ?? 60) >= 55,
    "HFREF",
    HFREF_BETA_BLOCKERS,
    "HFrEF without beta-blocker",
  );
  const isMraSafe = (potassium ?? 0) < 5 && (facts.crClMlPerMin ?? 60) >= 30;
  check(
    "HFREF_MRA",
    isHf && isMraSafe,
    "HFREF",
    MINERALOCORTICOID_ANTAGONISTS,
    "HFrEF without mineralocorticoid antagonist",
  );
  check(
    "HFREF_SGLT2",
    isHf && (facts.egfrMlPerMin ?? 60) >= 20,
    "HFREF",
    SGLT2_INHIBITORS,
    "HFrEF without SGLT2 inhibitor",
  );

  const vascular = has("CAD") ? "CAD" : "STROKE_SECONDARY";
  const isVascular = has("CAD") || has("STROKE_SECONDARY");
  check("VASCULAR_STATIN", isVascular, vascular, STATINS, "vascular disease without statin");
  check(
    "VASCULAR_ANTIPLATELET",
    isVascular && !takes(ANTICOAGULANTS),
    vascular,
    ANTIPLATELETS,
    "vascular disease without antiplatelet or anticoagulant",
  );

  const isOnLongSteroid = regimen.some(
    ({ drugIndex, daysOfUse, dosePerDay }) =>
      daysOfUse >= STEROID_DAYS && dosePerDay >= STEROID_DOSE_MG && memberTable(kb, STEROIDS)[drugIndex] === 1,
  );
  check("STEROID_BONE", isOnLongSteroid, "OSTEOPOROSIS", BONE_PROTECTION, "long-term steroid without bone protection");
  check("OSTEOPOROSIS", has("OSTEOPOROSIS"), "OSTEOPOROSIS", BONE_PROTECTION, "osteoporosis without treatment");
  check("METHOTREXATE_FOLATE", takes(METHOTREXATE), "MTX_PROTECT", FOLATES, "methotrexate without folate");
  const isOpioidRegular = regimen.some(({ drugIndex, isPrn }) => !isPrn && memberTable(kb, OPIOIDS)[drugIndex] === 1);
  const hasBowelOrder = options.orders.has("LAXATIVE") || options.orders.has("BOWEL");
  check(
    "OPIOID_LAXATIVE",
    isOpioidRegular && !hasBowelOrder,
    "CONSTIPATION",
    LAXATIVES,
    "regular opioid without laxative",
  );
  check("COPD_LAMA", has("COPD"), "COPD", ANTIMUSCARINIC_INHALERS, "COPD without long-acting antimuscarinic inhaler");
  check(
    "CKD_DM_PROTECTION",
    has("T2DM") && has("CKD_DM"),
    "CKD_DM",
    KIDNEY_PROTECTION,
    "diabetic kidney disease without RAS inhibitor or SGLT2 inhibitor",
  );
  return omissions;
}

function takesAny(kb: KnowledgeBase, regimen: readonly OmissionDrug[], tokens: readonly string[]): boolean {
  const isMember = memberTable(kb, tokens);
  for (const { drugIndex } of regimen) if (isMember[drugIndex] === 1) return true;
  return false;
}
