import type { HazardFamily } from "../hazard-family.ts";

/** QT and heart rate. assumption: which drugs make a family up, and the values that go with it. */
export const HEART_FAMILIES: readonly HazardFamily[] = [
  {
    family: "H20",
    title: "drugs that lengthen QT with low potassium",
    source: "Beers 2023; STOPP v3",
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
    source: "Beers 2023; STOPP v3",
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
    source: "FDA label of clonidine",
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
];
