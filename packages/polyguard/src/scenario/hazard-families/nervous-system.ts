import type { HazardFamily } from "../hazard-family.ts";

/** Sedation and serotonin. assumption: which drugs make a family up, and the values that go with it. */
export const NERVOUS_SYSTEM_FAMILIES: readonly HazardFamily[] = [
  {
    family: "H06",
    title: "opioid with benzodiazepine or gabapentinoid",
    source: "Beers 2023; FDA boxed warning 2016",
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
    family: "H39",
    title: "MAO-B inhibitor with a serotonergic drug",
    source: "FDA labels of rasagiline and selegiline",
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
];
