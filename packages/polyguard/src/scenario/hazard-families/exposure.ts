import type { HazardFamily } from "../hazard-family.ts";
import { ANTICOAGULATED, ORAL_NSAIDS } from "./choices.ts";

/** One drug changes the exposure of another. assumption: which drugs make a family up, and the values that go with it. */
export const EXPOSURE_FAMILIES: readonly HazardFamily[] = [
  {
    family: "H09",
    title: "lithium with a drug that raises it",
    source: "Finley 2016; labels",
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
    source: "Antoniou 2010; labels",
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
    source: "ATA 2014; labels",
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
    family: "H17",
    title: "prodrug of CYP2D6 and inhibitor",
    source: "CPIC guidelines for CYP2D6; labels",
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
    family: "H40",
    title: "CYP1A2 substrate and inhibitor",
    source: "FDA labels of tizanidine, theophylline and clozapine",
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
    source: "FDA labels of warfarin, digoxin and amiodarone",
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
    source: "EHRA guide on DOACs 2021",
    needsSeveralVisits: true,
    forms: [
      {
        slots: [
          { choices: ["DOAC"], conditions: ANTICOAGULATED, isTarget: true },
          { choices: ["carbamazepine", "phenytoin"], conditions: ["EPILEPSY", "TRIGEMINAL"] },
        ],
      },
      {
        slots: [
          { choices: ["warfarin"], conditions: ANTICOAGULATED, isTarget: true },
          { choices: ["phenytoin", "metronidazole", "fluconazole"], conditions: ["EPILEPSY", "INFECTION", "FUNGAL"] },
        ],
        levelShift: 1.4,
      },
    ],
  },
  {
    family: "H45",
    title: "codeine or metoprolol with fluoxetine",
    source: "Liston 2002; labels",
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
