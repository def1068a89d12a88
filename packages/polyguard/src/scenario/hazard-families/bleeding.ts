import type { HazardFamily } from "../hazard-family.ts";
import { ANTICOAGULATED, ORAL_NSAIDS } from "./choices.ts";

/** Bleeding and clotting. assumption: which drugs make a family up, and the values that go with it. */
export const BLEEDING_FAMILIES: readonly HazardFamily[] = [
  {
    family: "H01",
    title: "anticoagulant and NSAID",
    source: "Beers 2023; EHRA guide on DOACs 2021",
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
    family: "H16",
    title: "clopidogrel with omeprazole or esomeprazole",
    source: "FDA label of clopidogrel",
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
];
