import { ACTION_TYPES } from "../../actions/types.ts";
import { CANDIDATE_FIELDS } from "../../features/layout.ts";
import type { NewDrugBlock } from "../../sub-environments/new-drug-decomposition/block-schema.ts";
import { factFromWire } from "../../sub-environments/new-drug-decomposition/facts-wire.ts";
import type { Chart } from "../chart.ts";
import { type PlanOutlook, weighPlans } from "../new-drug/estimate.ts";
import { judgementOf } from "../new-drug/judgement.ts";
import { isKnownContraindicated, knownSetting } from "../new-drug/patient.ts";
import type { Advice } from "./advice.ts";
import type { AgentField } from "./layout.ts";
import type { SceneOffer } from "./scene-offer.ts";

const STUDIES = ["phenotyping", "class", "renal", "transporter", "qt", "ddi"] as const;
const DECOMPOSE = ACTION_TYPES.indexOf("DECOMPOSE_NEW_DRUG");

/** What the studies said when they were last weighed. Mutable; one per episode. */
export class NewDrugReader {
  #weighed: { readonly key: string; readonly outlook: PlanOutlook } | null = null;

  /**
   * What the studies say so far of every start plan. null once the drug is judged, and before its phenotyping is known while it may
   * still be bought: until then everything is possible and thousands of drugs would be weighed to say so.
   */
  outlook(chart: Chart, block: NewDrugBlock, advice: Advice | null): PlanOutlook | null {
    if (block.plan !== null) return null;
    const { observation, kb } = chart;
    const isJudged = advice?.action.action_type === "DECOMPOSE_NEW_DRUG";
    const isScreened = block.facts.some(({ kind }) => kind === "phenotyping");
    if (!isJudged && !isScreened && observation.budget.evidence_left > 0) return null;
    const key = `${block.name}/${block.facts.length}/${observation.organ.crcl}`;
    if (this.#weighed?.key !== key) {
      const facts = block.facts.map(factFromWire).filter((fact) => fact !== null);
      const isContraindicated = isKnownContraindicated(chart, block, facts);
      this.#weighed = { key, outlook: weighPlans(kb, facts, knownSetting(kb, observation), isContraindicated) };
    }
    return this.#weighed.outlook;
  }
}

/** The offers with the kinds of studies told apart, and one judgement for each start plan as long as none was submitted. */
export function withJudgements(
  chart: Chart,
  outlook: PlanOutlook | null,
  advice: Advice | null,
  offers: readonly SceneOffer[],
): readonly SceneOffer[] {
  const told = offers.map((offer): SceneOffer => {
    const { payload } = offer;
    if (payload?.type !== "FETCH_EXTERNAL_EVIDENCE") return offer;
    const kind = STUDIES.find((study) => payload.query.startsWith(study));
    const field: AgentField | null = kind === undefined ? null : `study: ${kind}`;
    return field === null ? offer : { ...offer, hints: { ...offer.hints, [field]: 1 } };
  });
  if (outlook === null) return told;
  const best = Math.max(...outlook.qualities.map(({ quality }) => quality));
  const judged = advice?.action.action_type === "DECOMPOSE_NEW_DRUG" ? advice.action : null;
  return [
    ...told,
    ...outlook.qualities.map(({ plan, quality }): SceneOffer => {
      const values = new Array<number>(CANDIDATE_FIELDS.length).fill(0);
      values[DECOMPOSE] = 1;
      return {
        candidateId: null,
        row: { values, targetRef: null, replacement: -1 },
        hints: {
          advised: Number(judged?.plan === plan),
          "advised by the rules": Number(judged?.plan === plan),
          "confidence of the advice": judged?.plan === plan ? judged.confidence : 0,
          "free payload": 1,
          "expected quality of the plan": quality,
          "quality below the best plan": best - quality,
        },
        abstains: false,
        payload: null,
        matches: (action) => action.action_type === "DECOMPOSE_NEW_DRUG" && action.plan === plan,
        act: (confidence) =>
          judged?.plan === plan
            ? { ...judged, confidence }
            : judgementOf(
                chart.observation,
                { decomposition: outlook.decomposition(), plan },
                {
                  reason: `An exposure of ${outlook.exposure.toFixed(1)} times the usual one is expected here; plan ${plan}.`,
                  confidence,
                },
              ),
      };
    }),
  ];
}
