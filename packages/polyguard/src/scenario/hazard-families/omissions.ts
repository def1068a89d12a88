import type { HazardFamily, HazardForm } from "../hazard-family.ts";

/** A condition that nothing treats. */
function untreated(condition: string, form: Omit<HazardForm, "slots" | "missing"> = {}): HazardForm {
  return {
    ...form,
    slots: [],
    conditions: [condition, ...(form.conditions ?? [])],
    missing: { condition, options: null },
  };
}

/** A condition without one of its therapies. */
function without(
  condition: string,
  options: readonly string[],
  form: Omit<HazardForm, "slots" | "missing"> = {},
): HazardForm {
  return { ...form, slots: [], conditions: [condition, ...(form.conditions ?? [])], missing: { condition, options } };
}

const GOOD_KIDNEYS = { potassium: [4.0, 4.6], egfr: [45, 75] } as const;

/** Therapies that are indicated and missing. assumption: the values that go with them. */
export const OMISSION_FAMILIES: readonly HazardFamily[] = [
  {
    family: "H28",
    title: "indicated therapy that is missing",
    source: "STOPP/START v3",
    needsSeveralVisits: false,
    sign: "missing",
    forms: [
      without("AF_STROKE", ["ANTICOAG"], { conditions: ["AF_RATE"], absent: ["BLEED_HX", "GI_ULCER"] }),
      without("HFREF", ["RASI"], { physiology: GOOD_KIDNEYS }),
      without("HFREF", ["MRA"], { physiology: GOOD_KIDNEYS }),
      without("HFREF", ["SGLT2"], { physiology: GOOD_KIDNEYS }),
      without("CAD", ["STATIN"]),
      without("CAD", ["ANTIPLATELET"], { absent: ["AF_STROKE", "VTE", "GI_ULCER"] }),
      without("OSTEOPOROSIS", ["BISPHOS", "RANKL", "SERM"], { physiology: { egfr: [45, 80] } }),
      without("COPD", ["LAMA"]),
      without("CKD_DM", ["RASI", "SGLT2"], { conditions: ["T2DM"], physiology: GOOD_KIDNEYS }),
      {
        slots: [{ choices: ["oxycodone", "hydrocodone", "codeine"], conditions: ["PAIN"], useDays: [20, 80] }],
        conditions: ["CONSTIPATION"],
        missing: { condition: "CONSTIPATION", options: ["LAXATIVE"] },
      },
    ],
  },
  {
    family: "H44",
    title: "heart failure with reduced ejection fraction without beta-blocker",
    source: "STOPP/START v3; ESC 2021",
    needsSeveralVisits: true,
    sign: "missing",
    forms: [
      without("HFREF", ["BB"], { physiology: { heartRate: [68, 88], egfr: [40, 75] }, absent: ["ASTHMA", "AF_RATE"] }),
    ],
  },
];

/** Conditions of the patient generator that nothing treats; not one of the numbered families. */
export const UNTREATED_FAMILY: HazardFamily = {
  family: "UNTREATED",
  title: "condition that nothing treats",
  source: "STOPP/START v3",
  needsSeveralVisits: false,
  sign: "missing",
  forms: [
    untreated("HTN"),
    untreated("T2DM"),
    untreated("DEPRESSION"),
    untreated("GERD", { absent: ["GI_ULCER"] }),
    untreated("GOUT"),
    untreated("HYPOTHYROID"),
    untreated("OA_PAIN"),
    untreated("NEUROPATHIC_PAIN"),
    untreated("PARKINSON"),
    untreated("OAB"),
  ],
};
