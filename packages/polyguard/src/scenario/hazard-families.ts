import type { Sex } from "../world/types.ts";

/** One drug of a hazard: any of these drug_ids or groups, taken for one of these conditions. */
export interface HazardSlot {
  /** drug_ids or group tokens. */
  readonly choices: readonly string[];
  /** Conditions the drug may be taken for; the first that it treats is made active. */
  readonly conditions: readonly string[];
  /** Dose: the middle of the range (default), its upper or its lower end. */
  readonly dose?: "high" | "low";
  /** A short course that ends by itself. */
  readonly isCourse?: boolean;
}

/** Values a hazard sets, each drawn uniformly between two ends. */
export interface HazardPhysiology {
  readonly potassium?: readonly [low: number, high: number];
  readonly sodium?: readonly [low: number, high: number];
  readonly qtc?: readonly [low: number, high: number];
  readonly egfr?: readonly [low: number, high: number];
  readonly heartRate?: readonly [low: number, high: number];
}

/** One way a hazard may look. */
export interface HazardForm {
  readonly slots: readonly HazardSlot[];
  readonly physiology?: HazardPhysiology;
  /** Further conditions that are there. */
  readonly conditions?: readonly string[];
  readonly sex?: Sex;
  /** Level of the first slot's drug relative to the middle of its target; default 1. */
  readonly levelShift?: number;
}

/** A family of hazards: each form is instantiated with many drugs of the knowledge base. */
export interface HazardFamily {
  readonly family: string;
  readonly title: string;
  /** Needs several visits by its nature; every hazard with a drug that must be tapered does too. */
  readonly needsSeveralVisits: boolean;
  readonly forms: readonly HazardForm[];
}

const ANTICOAGULATED = ["AF_STROKE", "VTE"];
const RASI_FOR = ["HTN", "HFREF"];
const ORAL_NSAIDS = ["ibuprofen", "naproxen", "diclofenac", "meloxicam", "celecoxib", "indomethacin"];

/**
 * The families of the task ddi_risk. Sources: the interaction rules each one rests on; assumption: which drugs make it
 * up and the values that go with it.
 */
export const HAZARD_FAMILIES: readonly HazardFamily[] = [
  {
    family: "H01",
    title: "anticoagulant and NSAID",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["VKA", "DOAC"], conditions: ANTICOAGULATED },
          { choices: ORAL_NSAIDS, conditions: ["OA_PAIN"] },
        ],
      },
    ],
  },
  {
    family: "H02",
    title: "RAS inhibitor, potassium-sparing drug and potassium in kidney disease",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["ACEI", "ARB"], conditions: RASI_FOR },
          { choices: ["spironolactone", "eplerenone"], conditions: ["HFREF", "RESISTANT_HTN"] },
          { choices: ["K_SUPP"], conditions: [] },
        ],
        physiology: { potassium: [4.9, 5.6], egfr: [32, 52] },
      },
      {
        slots: [
          { choices: ["ACEI", "ARB"], conditions: RASI_FOR },
          { choices: ["K_SUPP"], conditions: [] },
        ],
        physiology: { potassium: [4.8, 5.5], egfr: [32, 55] },
      },
      {
        slots: [
          { choices: ["ACEI", "ARB"], conditions: RASI_FOR },
          { choices: ["amiloride", "eplerenone"], conditions: ["RESISTANT_HTN", "HFREF", "HTN"] },
        ],
        physiology: { potassium: [5.0, 5.6], egfr: [32, 55] },
      },
    ],
  },
  {
    family: "H03",
    title: "antidepressant and thiazide with low sodium",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["SSRI", "SNRI"], conditions: ["DEPRESSION", "ANXIETY"] },
          { choices: ["THIAZIDE"], conditions: ["HTN"] },
        ],
        physiology: { sodium: [128, 132] },
      },
    ],
  },
  {
    family: "H04",
    title: "triple whammy",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["ACEI", "ARB"], conditions: RASI_FOR },
          { choices: ["THIAZIDE", "LOOP"], conditions: ["HTN", "OEDEMA", "HF_CONGESTION"] },
          { choices: ORAL_NSAIDS, conditions: ["OA_PAIN"] },
        ],
        physiology: { egfr: [40, 58] },
      },
    ],
  },
  {
    family: "H06",
    title: "opioid with benzodiazepine or gabapentinoid",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["tramadol", "oxycodone", "morphine", "hydrocodone", "codeine"], conditions: ["PAIN", "OA_PAIN"] },
          {
            choices: [
              "lorazepam",
              "alprazolam",
              "temazepam",
              "diazepam",
              "zolpidem",
              "zopiclone",
              "gabapentin",
              "pregabalin",
            ],
            conditions: ["INSOMNIA", "ANXIETY", "NEUROPATHIC_PAIN"],
          },
        ],
      },
    ],
  },
  {
    family: "H09",
    title: "lithium with a drug that raises it",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["lithium_carbonate"], conditions: ["BIPOLAR"] },
          { choices: ["ACEI", "ARB", "THIAZIDE"], conditions: ["HTN"] },
        ],
        levelShift: 1.3,
      },
      {
        slots: [
          { choices: ["lithium_carbonate"], conditions: ["BIPOLAR"] },
          { choices: ORAL_NSAIDS, conditions: ["OA_PAIN"] },
        ],
        levelShift: 1.3,
      },
    ],
  },
  {
    family: "H10",
    title: "CYP3A4 statin and strong inhibitor",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["simvastatin", "atorvastatin"], conditions: ["DYSLIPID"], dose: "high" },
          { choices: ["clarithromycin", "erythromycin"], conditions: ["INFECTION"], isCourse: true },
        ],
      },
      {
        slots: [
          { choices: ["simvastatin"], conditions: ["DYSLIPID"], dose: "high" },
          {
            choices: ["verapamil_er", "diltiazem_er", "ranolazine", "gemfibrozil"],
            conditions: ["HTN", "ANGINA", "HYPERTRIG"],
          },
        ],
      },
      {
        slots: [
          { choices: ["simvastatin", "atorvastatin"], conditions: ["DYSLIPID"], dose: "high" },
          { choices: ["itraconazole", "ketoconazole", "voriconazole"], conditions: ["FUNGAL"] },
        ],
      },
    ],
  },
  {
    family: "H15",
    title: "levothyroxine with a polyvalent cation",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["levothyroxine"], conditions: ["HYPOTHYROID"] },
          { choices: ["calcium_carbonate", "ferrous_sulfate"], conditions: ["OSTEOPOROSIS", "IRON_DEF"] },
        ],
      },
    ],
  },
  {
    family: "H16",
    title: "clopidogrel with omeprazole or esomeprazole",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["clopidogrel"], conditions: ["STENT", "CAD", "STROKE_SECONDARY"] },
          { choices: ["omeprazole", "esomeprazole"], conditions: ["GERD"] },
        ],
      },
    ],
  },
  {
    family: "H17",
    title: "prodrug of CYP2D6 and inhibitor",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["tamoxifen"], conditions: ["BREAST_CA"] },
          { choices: ["paroxetine", "fluoxetine", "bupropion"], conditions: ["DEPRESSION"] },
        ],
        sex: "F",
      },
      {
        slots: [
          { choices: ["codeine", "tramadol"], conditions: ["PAIN", "OA_PAIN"] },
          { choices: ["paroxetine", "bupropion", "terbinafine"], conditions: ["DEPRESSION", "ONYCHOMYCOSIS"] },
        ],
      },
    ],
  },
  {
    family: "H19",
    title: "trimethoprim with a drug it makes dangerous",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["trimethoprim_sulfamethoxazole", "trimethoprim"], conditions: ["UTI"], isCourse: true },
          { choices: ["ACEI", "ARB"], conditions: RASI_FOR },
        ],
        physiology: { potassium: [4.8, 5.4], egfr: [32, 58] },
      },
      {
        slots: [
          { choices: ["trimethoprim_sulfamethoxazole"], conditions: ["UTI"], isCourse: true },
          { choices: ["warfarin", "phenytoin"], conditions: ["AF_STROKE", "VTE", "EPILEPSY"] },
        ],
      },
    ],
  },
  {
    family: "H20",
    title: "drugs that lengthen QT with low potassium",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["citalopram", "escitalopram"], conditions: ["DEPRESSION", "ANXIETY"] },
          {
            choices: ["ondansetron", "domperidone", "haloperidol"],
            conditions: ["NAUSEA", "GASTROPARESIS", "PSYCHOSIS", "DELIRIUM_AGIT"],
          },
        ],
        physiology: { potassium: [3.0, 3.4], qtc: [452, 485] },
      },
      {
        slots: [
          { choices: ["sotalol", "flecainide", "amiodarone"], conditions: ["AF_RHYTHM"] },
          {
            choices: ["moxifloxacin", "azithromycin", "levofloxacin", "clarithromycin"],
            conditions: ["INFECTION"],
            isCourse: true,
          },
        ],
        conditions: ["AF_STROKE"],
        physiology: { potassium: [3.0, 3.4], qtc: [452, 485] },
      },
    ],
  },
  {
    family: "H29",
    title: "two drugs that slow the heart",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["BB_SEL"], conditions: ["HTN", "CAD", "AF_RATE"] },
          { choices: ["verapamil_er", "diltiazem_er"], conditions: ["ANGINA", "AF_RATE", "HTN"] },
        ],
        physiology: { heartRate: [46, 54] },
      },
      {
        slots: [
          { choices: ["verapamil_er", "diltiazem_er"], conditions: ["ANGINA", "HTN"] },
          { choices: ["donepezil", "galantamine"], conditions: ["DEMENTIA"] },
        ],
        physiology: { heartRate: [46, 54] },
      },
    ],
  },
  {
    family: "H30",
    title: "clonidine with a beta-blocker",
    needsSeveralVisits: true,
    forms: [
      {
        slots: [
          { choices: ["BB_SEL"], conditions: ["HTN", "CAD"] },
          { choices: ["clonidine"], conditions: ["HTN", "RESISTANT_HTN"] },
        ],
        physiology: { heartRate: [48, 58] },
      },
    ],
  },
  {
    family: "H39",
    title: "MAO-B inhibitor with a serotonergic drug",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["rasagiline", "selegiline"], conditions: ["PARKINSON"] },
          {
            choices: ["SSRI", "SNRI", "mirtazapine", "tramadol"],
            conditions: ["DEPRESSION", "ANXIETY", "PAIN", "OA_PAIN"],
          },
        ],
      },
    ],
  },
  {
    family: "H40",
    title: "CYP1A2 substrate and inhibitor",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["theophylline_er", "tizanidine", "clozapine"], conditions: ["COPD", "SPASTICITY", "PSYCHOSIS"] },
          { choices: ["ciprofloxacin"], conditions: ["INFECTION", "UTI"], isCourse: true },
        ],
      },
      {
        slots: [
          { choices: ["theophylline_er", "tizanidine", "clozapine"], conditions: ["COPD", "SPASTICITY", "PSYCHOSIS"] },
          { choices: ["fluvoxamine", "cimetidine"], conditions: ["DEPRESSION", "GERD"] },
        ],
      },
    ],
  },
  {
    family: "H41",
    title: "inducer or amiodarone beside a titrated drug",
    needsSeveralVisits: true,
    forms: [
      {
        slots: [
          { choices: ["warfarin"], conditions: ["AF_STROKE", "VTE"] },
          {
            choices: ["carbamazepine", "phenytoin", "phenobarbital", "primidone"],
            conditions: ["EPILEPSY", "TRIGEMINAL", "TREMOR"],
          },
        ],
        levelShift: 0.8,
      },
      {
        slots: [
          { choices: ["warfarin", "digoxin"], conditions: ["AF_STROKE", "AF_RATE"] },
          { choices: ["amiodarone"], conditions: ["AF_RHYTHM"] },
        ],
        conditions: ["AF_STROKE"],
        levelShift: 1.35,
      },
    ],
  },
  {
    family: "H42",
    title: "DOAC beside an enzyme inducer, or warfarin that never settles",
    needsSeveralVisits: true,
    forms: [
      {
        slots: [
          { choices: ["DOAC"], conditions: ANTICOAGULATED },
          { choices: ["carbamazepine", "phenytoin"], conditions: ["EPILEPSY", "TRIGEMINAL"] },
        ],
      },
      {
        slots: [
          { choices: ["warfarin"], conditions: ANTICOAGULATED },
          { choices: ["phenytoin", "metronidazole", "fluconazole"], conditions: ["EPILEPSY", "INFECTION", "FUNGAL"] },
        ],
        levelShift: 1.4,
      },
    ],
  },
  {
    family: "H45",
    title: "codeine or metoprolol with fluoxetine",
    needsSeveralVisits: true,
    forms: [
      {
        slots: [
          { choices: ["codeine"], conditions: ["PAIN", "OA_PAIN"] },
          { choices: ["fluoxetine"], conditions: ["DEPRESSION"] },
        ],
      },
      {
        slots: [
          { choices: ["metoprolol"], conditions: ["HTN", "CAD", "AF_RATE"], dose: "high" },
          { choices: ["fluoxetine"], conditions: ["DEPRESSION"] },
        ],
        physiology: { heartRate: [46, 54] },
      },
    ],
  },
];
