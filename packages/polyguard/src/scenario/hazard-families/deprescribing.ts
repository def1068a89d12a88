import type { HazardFamily } from "../hazard-family.ts";
import { ANTICOAGULATED } from "./choices.ts";

/** More than a year of use. */
const OVER_A_YEAR = [400, 2000] as const;

/**
 * Drugs whose time is over. assumption: which drugs make a family up, and the hidden response factors: so low that the end
 * of the drug gains something.
 */
export const DEPRESCRIBING_FAMILIES: readonly HazardFamily[] = [
  {
    family: "H12",
    title: "proton pump inhibitor without a reason",
    source: "Beers 2023; Farrell 2017",
    needsSeveralVisits: false,
    sign: "gain",
    forms: [
      {
        slots: [{ choices: ["PPI"], conditions: [], useDays: [100, 1500], isTarget: true }],
        absent: ["GERD", "GI_ULCER"],
        history: ["GERD"],
      },
    ],
  },
  {
    family: "H31",
    title: "benzodiazepine or Z-drug for more than a year",
    source: "Beers 2023; Pottie 2018",
    needsSeveralVisits: true,
    sign: "gain",
    forms: [
      {
        slots: [
          {
            choices: ["lorazepam", "temazepam", "alprazolam", "zolpidem", "zopiclone", "eszopiclone"],
            conditions: ["INSOMNIA", "ANXIETY"],
            useDays: OVER_A_YEAR,
            responseFactor: 0.5,
            isTarget: true,
          },
        ],
      },
      {
        slots: [
          {
            choices: ["diazepam", "clonazepam", "lorazepam", "temazepam", "zolpidem"],
            conditions: [],
            useDays: OVER_A_YEAR,
            isTarget: true,
          },
        ],
        absent: ["ANXIETY", "INSOMNIA", "EPILEPSY"],
        history: ["ANXIETY"],
      },
    ],
  },
  {
    family: "H32",
    title: "opioid for more than a year with little benefit",
    source: "CDC 2022; HHS 2019",
    needsSeveralVisits: true,
    sign: "gain",
    forms: [
      {
        slots: [
          {
            choices: ["tramadol", "oxycodone", "morphine", "hydrocodone", "codeine"],
            conditions: ["PAIN", "OA_PAIN"],
            useDays: OVER_A_YEAR,
            responseFactor: 0.15,
            isTarget: true,
          },
        ],
      },
    ],
  },
  {
    family: "H33",
    title: "antipsychotic for behaviour in dementia, or for sleep",
    source: "Beers 2023; Bjerre 2018",
    needsSeveralVisits: true,
    sign: "gain",
    forms: [
      {
        slots: [
          {
            choices: ["risperidone", "quetiapine"],
            conditions: ["BPSD"],
            useDays: [120, 900],
            responseFactor: 0.6,
            isTarget: true,
          },
        ],
        conditions: ["DEMENTIA"],
      },
      {
        slots: [{ choices: ["quetiapine", "olanzapine"], conditions: [], useDays: [120, 900], isTarget: true }],
        conditions: ["INSOMNIA"],
        absent: ["PSYCHOSIS", "BIPOLAR", "BPSD"],
      },
    ],
  },
  {
    family: "H34",
    title: "steroid for more than a year",
    source: "ESE and Endocrine Society 2024",
    needsSeveralVisits: true,
    sign: "gain",
    forms: [
      {
        slots: [{ choices: ["STEROID"], conditions: [], dose: "low", useDays: OVER_A_YEAR, isTarget: true }],
        absent: ["PMR", "COPD", "RA"],
        history: ["PMR"],
      },
      {
        slots: [{ choices: ["STEROID"], conditions: [], useDays: OVER_A_YEAR, isTarget: true }],
        absent: ["PMR", "COPD", "RA"],
        history: ["PMR"],
      },
    ],
  },
  {
    family: "H36",
    title: "two antithrombotics past their time",
    source: "ESC 2023; AFIRE 2019",
    needsSeveralVisits: false,
    sign: "gain",
    forms: [
      {
        slots: [
          {
            choices: ["clopidogrel", "ticagrelor"],
            conditions: ["CAD"],
            useDays: OVER_A_YEAR,
            responseFactor: 0.1,
            isTarget: true,
          },
          { choices: ["aspirin_low_dose"], conditions: ["CAD"], useDays: [1200, 2500] },
        ],
        absent: ["STENT", "AF_STROKE"],
        history: ["STENT"],
      },
      {
        slots: [
          {
            choices: ["aspirin_low_dose"],
            conditions: ["CAD"],
            useDays: OVER_A_YEAR,
            responseFactor: 0.1,
            isTarget: true,
          },
          { choices: ["DOAC"], conditions: ANTICOAGULATED },
        ],
        absent: ["STENT"],
        history: ["STENT"],
      },
    ],
  },
];
