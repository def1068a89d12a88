/** Conditions an anticoagulant is taken for. */
export const ANTICOAGULATED: readonly string[] = ["AF_STROKE", "VTE"];

/** Conditions a RAS inhibitor is taken for. */
export const RASI_FOR: readonly string[] = ["HTN", "HFREF"];

/** NSAIDs taken by mouth. */
export const ORAL_NSAIDS: readonly string[] = [
  "ibuprofen",
  "naproxen",
  "diclofenac",
  "meloxicam",
  "celecoxib",
  "indomethacin",
];
