import type { HazardFamily, HazardForm } from "../hazard-family.ts";
import { ANTICOAGULATED, ORAL_NSAIDS, RASI_FOR } from "./choices.ts";

/** Two drugs of a class, the second from another prescriber. */
function duplicate(choices: readonly string[], conditions: readonly string[]): HazardForm {
  return {
    slots: [
      { choices, conditions },
      { choices, conditions, isDuplicate: true, source: "second_prescriber", useDays: [20, 200], isTarget: true },
    ],
  };
}

/**
 * Errors of the list and of the choice: duplicates, drugs nobody wrote down, allergies, drugs that do not help.
 * assumption: which drugs make a family up.
 */
export const LIST_FAMILIES: readonly HazardFamily[] = [
  {
    family: "H05",
    title: "anticholinergic stack with dementia and a cholinesterase inhibitor",
    source: "Beers 2023; STOPP v3",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          { choices: ["ANTIMUSC"], conditions: ["OAB"], isTarget: true },
          { choices: ["ACHEI"], conditions: ["DEMENTIA"] },
          {
            choices: ["hydroxyzine", "diphenhydramine", "amitriptyline", "nortriptyline"],
            conditions: ["ANXIETY", "INSOMNIA", "NEUROPATHIC_PAIN"],
          },
        ],
      },
      {
        slots: [
          { choices: ["ANTIMUSC"], conditions: ["OAB"], isTarget: true },
          { choices: ["ACHEI"], conditions: ["DEMENTIA"] },
        ],
      },
    ],
  },
  {
    family: "H11",
    title: "two drugs of a class from two prescribers",
    source: "STOPP v3",
    needsSeveralVisits: false,
    forms: [
      duplicate(ORAL_NSAIDS, ["OA_PAIN"]),
      duplicate(["SSRI"], ["DEPRESSION"]),
      duplicate(["STATIN"], ["DYSLIPID", "CAD"]),
      duplicate(["ACEI"], ["HTN"]),
      duplicate(["ARB"], ["HTN"]),
      duplicate(["BB_SEL"], ["HTN"]),
      duplicate(["DHP_CCB"], ["HTN"]),
      duplicate(["BZD"], ["INSOMNIA", "ANXIETY"]),
      duplicate(["LOOP"], ["OEDEMA"]),
    ],
  },
  {
    family: "H37",
    title: "drug from the pharmacy that is not on the list",
    source: "Beers 2023; EHRA guide on DOACs 2021",
    needsSeveralVisits: false,
    forms: [
      {
        slots: [
          {
            choices: ["diphenhydramine"],
            conditions: ["INSOMNIA", "ALLERGY"],
            source: "otc",
            isUnlisted: true,
            isTarget: true,
          },
          { choices: ["ACHEI"], conditions: ["DEMENTIA"] },
        ],
      },
      {
        slots: [
          {
            choices: ["ibuprofen", "naproxen"],
            conditions: ["OA_PAIN"],
            source: "otc",
            isUnlisted: true,
            isTarget: true,
          },
          { choices: ["VKA", "DOAC"], conditions: ANTICOAGULATED },
        ],
      },
      {
        slots: [
          { choices: ["st_johns_wort"], conditions: [], source: "herbal", isUnlisted: true, isTarget: true },
          { choices: ["VKA", "DOAC"], conditions: ANTICOAGULATED },
        ],
      },
    ],
  },
  {
    family: "H38",
    title: "drug against a recorded allergy",
    source: "labels; AAAAI drug allergy practice parameter 2022",
    needsSeveralVisits: false,
    sign: "rule",
    forms: [
      {
        slots: [{ choices: ["ACEI"], conditions: RASI_FOR, isTarget: true }],
        allergy: { substance: "ACEI", reaction: "angioedema", severity: "severe" },
      },
      {
        slots: [{ choices: ORAL_NSAIDS, conditions: ["OA_PAIN"], isTarget: true }],
        allergy: { substance: "NSAID", reaction: "bronchospasm", severity: "severe" },
      },
      {
        slots: [{ choices: ["codeine"], conditions: ["PAIN"], isTarget: true }],
        allergy: { substance: "codeine", reaction: "anaphylaxis", severity: "severe" },
      },
      {
        slots: [{ choices: ["STATIN"], conditions: ["DYSLIPID", "CAD"], isTarget: true }],
        allergy: { substance: "STATIN", reaction: "rash", severity: "moderate" },
      },
    ],
  },
  {
    family: "H43",
    title: "first antidepressant or analgesic that does not help",
    source: "NICE NG222; NICE CG173",
    needsSeveralVisits: true,
    sign: "gain",
    forms: [
      {
        slots: [
          {
            choices: ["sertraline", "escitalopram", "citalopram", "mirtazapine", "venlafaxine"],
            conditions: ["DEPRESSION"],
            useDays: [60, 300],
            isFailing: true,
            isTarget: true,
          },
        ],
      },
      {
        slots: [
          {
            choices: ["gabapentin", "pregabalin", "duloxetine"],
            conditions: ["NEUROPATHIC_PAIN"],
            useDays: [60, 300],
            isFailing: true,
            isTarget: true,
          },
        ],
      },
      {
        slots: [
          {
            choices: ["acetaminophen", "duloxetine"],
            conditions: ["OA_PAIN"],
            useDays: [60, 300],
            isFailing: true,
            isTarget: true,
          },
        ],
      },
    ],
  },
];
