import { type ActionPayload, PROTECTIONS, type TaperPace } from "../actions/types.ts";
import { findDrug } from "../kb/lookup.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";

type Candidate = Observation["candidates"][number];

/** The payload that an offered candidate stands for, read back from its wire form; null when a drug in it is not known. */
export function readCandidate(kb: KnowledgeBase, candidate: Candidate): ActionPayload | null {
  const { action_type: type, target, dose_per_day: dosePerDay = 0, freq: dosesPerDay = 1 } = candidate;
  const orders = (candidate.orders ?? []).filter((code) => !code.startsWith("SWITCH"));
  const special = (prefix: string): string | null =>
    candidate.orders?.find((code) => code.startsWith(prefix))?.slice(prefix.length) ?? null;
  const drugIndexOf = (drugId: string | null | undefined): number | null =>
    drugId === null || drugId === undefined ? null : (findDrug(kb, drugId)?.index ?? null);
  const medRef = target ?? "";
  switch (type) {
    case "KEEP_REGIMEN":
    case "FINISH":
      return { type };
    case "STOP_DRUG":
      return { type, medRef, switchToDrugIndex: drugIndexOf(special("SWITCH:")), orders };
    case "SUBSTITUTE_DRUG": {
      const drugIndex = drugIndexOf(candidate.replacement);
      return drugIndex === null ? null : { type, medRef, drugIndex, dosePerDay, dosesPerDay, orders };
    }
    case "ADD_DRUG": {
      const drugIndex = drugIndexOf(target);
      const crossOverFromMedRef = special("SWITCH_FROM:");
      return drugIndex === null ? null : { type, drugIndex, dosePerDay, dosesPerDay, crossOverFromMedRef, orders };
    }
    case "ADJUST_DOSE":
      return { type, medRef, dosePerDay, dosesPerDay, orders };
    case "START_TAPER": {
      const taper = paceOf(candidate);
      return taper === null ? null : { type, medRef, taper, orders };
    }
    case "CONTINUE_TAPER":
      return { type, medRef, taper: paceOf(candidate) };
    case "HOLD_DOSE":
    case "PAUSE_TAPER":
    case "REVERT_TAPER":
    case "SEPARATE_TIMING":
      return { type, medRef };
    case "ORDER_MONITORING":
      return { type, medRef: target ?? null, orders };
    case "ADD_PROTECTION": {
      const protection = PROTECTIONS.find((each) => each === target);
      return protection === undefined ? null : { type, protection };
    }
    case "RECONCILE_ITEM":
      return { type, target: medRef };
    case "FETCH_EXTERNAL_EVIDENCE":
      return { type, query: candidate.text };
    case "REQUEST_REVIEW":
      return { type, reviewTo: "pharmacist", target: target ?? null };
    case "RECOMMEND_ALTERNATIVE":
      return { type, medRef, ranking: [] };
    case "DECOMPOSE_NEW_DRUG":
    case "PROBE_COMBINATION":
    case "DECLARE_FINDINGS":
      return null;
  }
}

function paceOf({ taper }: Candidate): TaperPace | null {
  return taper === undefined ? null : { stepPct: taper.step_pct, intervalDays: taper.interval_days };
}
