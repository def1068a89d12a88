/** One way in which a patient comes to need a dosing model's drug. */
export interface DosingCase {
  readonly drugId: string;
  readonly indication: string;
  /** Share of patients with a second condition that matters for the dose, and its code. */
  readonly second: { readonly code: string; readonly share: number } | null;
  /** Interacting drugs that may be on the list, each with its indication. */
  readonly coMedications: readonly { readonly drugId: string; readonly indication: string }[];
  /** Lowest creatinine clearance that the case makes sense with, mL/min. */
  readonly leastCrCl: number;
}

/** Share of patients with an interacting drug, where the case has any. assumption: often enough to matter. */
export const COMEDICATION_SHARE = 0.4;
/** Share of interacting drugs that were begun shortly before: their effect is still coming on. assumption: */
export const RECENT_SHARE = 0.3;

/**
 * The seven drugs with their indications. assumption: which interacting drugs may occur; limits on the kidneys keep the smallest
 * doses of the grid useful (labels advise against lithium below CrCl 30).
 */
export const DOSING_CASES: readonly DosingCase[] = [
  { drugId: "vancomycin", indication: "INFECTION", second: null, coMedications: [], leastCrCl: 15 },
  { drugId: "gentamicin", indication: "INFECTION", second: null, coMedications: [], leastCrCl: 20 },
  {
    drugId: "warfarin",
    indication: "AF_STROKE",
    second: null,
    coMedications: [
      { drugId: "amiodarone", indication: "AF_RHYTHM" },
      { drugId: "carbamazepine", indication: "EPILEPSY" },
      { drugId: "fenofibrate", indication: "HYPERTRIG" },
    ],
    leastCrCl: 0,
  },
  {
    drugId: "digoxin",
    indication: "AF_RATE",
    second: { code: "HFREF", share: 0.4 },
    coMedications: [
      { drugId: "amiodarone", indication: "AF_RHYTHM" },
      { drugId: "mirabegron", indication: "OAB" },
      { drugId: "verapamil_er", indication: "HTN" },
    ],
    leastCrCl: 10,
  },
  {
    drugId: "phenytoin",
    indication: "EPILEPSY",
    second: null,
    coMedications: [
      { drugId: "amiodarone", indication: "AF_RHYTHM" },
      { drugId: "fluoxetine", indication: "DEPRESSION" },
      { drugId: "fluvoxamine", indication: "DEPRESSION" },
    ],
    leastCrCl: 10,
  },
  {
    drugId: "lithium_carbonate",
    indication: "BIPOLAR",
    second: null,
    coMedications: [
      { drugId: "hydrochlorothiazide", indication: "HTN" },
      { drugId: "losartan", indication: "HTN" },
      { drugId: "furosemide", indication: "OEDEMA" },
    ],
    leastCrCl: 30,
  },
  {
    drugId: "levothyroxine",
    indication: "HYPOTHYROID",
    second: { code: "CAD", share: 0.2 },
    coMedications: [
      { drugId: "calcium_carbonate", indication: "OSTEOPOROSIS" },
      { drugId: "ferrous_sulfate", indication: "IRON_DEF" },
      { drugId: "omeprazole", indication: "GERD" },
    ],
    leastCrCl: 0,
  },
];
