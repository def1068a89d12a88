import type { HazardFamily } from "../hazard-family.ts";
import { ORAL_NSAIDS, RASI_FOR } from "./choices.ts";

/** Potassium, sodium and kidneys. assumption: which drugs make a family up, and the values that go with it. */
export const KIDNEY_AND_SALT_FAMILIES: readonly HazardFamily[] = [
  {
    family: "H02",
    title: "RAS inhibitor, potassium-sparing drug and potassium in kidney disease",
    source: "Juurlink 2004; labels",
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
    source: "Beers 2023; STOPP v3",
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
    source: "Lapi 2013",
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
    family: "H19",
    title: "trimethoprim with a drug it makes dangerous",
    source: "Antoniou 2010 and 2011; Fralick 2014",
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
];
