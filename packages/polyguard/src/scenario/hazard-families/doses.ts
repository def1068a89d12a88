import type { HazardFamily } from "../hazard-family.ts";
import { ANTICOAGULATED } from "./choices.ts";

/** Wrong doses and drugs that the kidneys forbid. assumption: which drugs make a family up, and the values that go with it. */
export const DOSE_FAMILIES: readonly HazardFamily[] = [
  {
    family: "H07",
    title: "long-acting sulfonylurea in kidney disease or frailty",
    source: "Beers 2023",
    needsSeveralVisits: false,
    sign: "gain",
    forms: [
      {
        slots: [{ choices: ["glyburide"], conditions: ["T2DM"], dose: "unadjusted", isTarget: true }],
        physiology: { egfr: [32, 55] },
      },
      {
        slots: [{ choices: ["SU_LONG"], conditions: ["T2DM"], isTarget: true }],
        patient: { leastFrailtyCfs: 6 },
      },
    ],
  },
  {
    family: "H08",
    title: "digoxin too high for the kidneys",
    source: "Beers 2023; FDA label of digoxin",
    needsSeveralVisits: false,
    sign: "gain",
    forms: [
      {
        slots: [{ choices: ["digoxin"], conditions: ["AF_RATE", "HFREF"], dose: "unadjusted", isTarget: true }],
        physiology: { egfr: [16, 30] },
        levelShift: 1.7,
      },
      {
        slots: [
          { choices: ["digoxin"], conditions: ["AF_RATE", "HFREF"], dose: "high", isTarget: true },
          { choices: ["clarithromycin", "erythromycin"], conditions: ["INFECTION"], isCourse: true },
        ],
        physiology: { egfr: [32, 50] },
        levelShift: 1.4,
      },
    ],
  },
  {
    family: "H13",
    title: "metformin at eGFR below 30",
    source: "FDA label of metformin 2016",
    needsSeveralVisits: false,
    sign: "rule",
    forms: [
      {
        slots: [{ choices: ["metformin"], conditions: ["T2DM"], dose: "unadjusted", isTarget: true }],
        physiology: { egfr: [15, 29] },
      },
    ],
  },
  {
    family: "H14",
    title: "renally cleared drug above its dose",
    source: "Beers 2023 renal table; labels",
    needsSeveralVisits: false,
    sign: "gain",
    forms: [
      {
        slots: [
          {
            choices: [
              "gabapentin",
              "pregabalin",
              "levetiracetam",
              "galantamine",
              "pramipexole",
              "venlafaxine",
              "oxycodone",
              "atenolol",
              "hydroxyzine",
            ],
            conditions: [
              "NEUROPATHIC_PAIN",
              "EPILEPSY",
              "DEMENTIA",
              "PARKINSON",
              "DEPRESSION",
              "PAIN",
              "HTN",
              "ANXIETY",
            ],
            dose: "unadjusted",
            isTarget: true,
          },
        ],
        physiology: { egfr: [16, 29] },
      },
    ],
  },
  {
    family: "H18",
    title: "weekly methotrexate written for every day",
    source: "ISMP; FDA label of methotrexate",
    needsSeveralVisits: false,
    sign: "gain",
    forms: [
      {
        slots: [
          {
            choices: ["METHOTREXATE"],
            conditions: ["RA"],
            dose: "daily",
            useDays: [5, 40],
            source: "second_prescriber",
            isTarget: true,
          },
        ],
        levelShift: 7,
      },
    ],
  },
  {
    family: "H35",
    title: "DOAC dose wrong for kidneys, weight or age",
    source: "EHRA guide on DOACs 2021; FDA labels",
    needsSeveralVisits: false,
    sign: "gain",
    forms: [
      {
        slots: [{ choices: ["DOAC"], conditions: ANTICOAGULATED, dose: "unadjusted", isTarget: true }],
        physiology: { egfr: [18, 44] },
      },
      {
        slots: [{ choices: ["DOAC"], conditions: ANTICOAGULATED, dose: "below", isTarget: true }],
        physiology: { egfr: [55, 80] },
      },
    ],
  },
];
