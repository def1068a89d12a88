import type { Drug, EnzymeStrength } from "./types.ts";

/** Groups that follow from other columns; never typed into the table. In the order they are appended to a drug's groups. */
export const DERIVED_GROUPS: readonly { readonly name: string; readonly holds: (drug: Drug) => boolean }[] = [
  { name: "INH3A4_STRONG", holds: (drug) => inhibits(drug, "CYP3A4", "strong") },
  { name: "INH3A4_MOD", holds: (drug) => inhibits(drug, "CYP3A4", "moderate") },
  { name: "INH2D6_STRONG", holds: (drug) => inhibits(drug, "CYP2D6", "strong") },
  { name: "INH2D6_MOD", holds: (drug) => inhibits(drug, "CYP2D6", "moderate") },
  { name: "INH2C9_MOD", holds: (drug) => inhibits(drug, "CYP2C9", "moderate") },
  { name: "INH2C19_STRONG", holds: (drug) => inhibits(drug, "CYP2C19", "strong") },
  { name: "INH2C19_ANY", holds: (drug) => drug.inhibits.some(({ enzyme }) => enzyme === "CYP2C19") },
  { name: "IND3A4_STRONG", holds: (drug) => induces(drug, "CYP3A4", "strong") },
  { name: "PGP_INH", holds: inhibitsPgp },
  { name: "PGP_3A4_STRONG_INH", holds: (drug) => inhibitsPgp(drug) && inhibits(drug, "CYP3A4", "strong") },
  {
    name: "IND3A4_PGP",
    holds: (drug) => induces(drug, "CYP3A4", "strong") && drug.induces.some(({ enzyme }) => enzyme === "P-gp"),
  },
  { name: "QT_KR", holds: (drug) => drug.qtRisk === "KR" },
  { name: "QT_PR", holds: (drug) => drug.qtRisk === "PR" },
  { name: "QT_CR", holds: (drug) => drug.qtRisk === "CR" },
  { name: "ANTICHOL", holds: (drug) => drug.acb >= 2 },
  { name: "SEROTONERGIC", holds: (drug) => drug.risk.serotonergic >= 1 },
  { name: "SERO_STRONG", holds: (drug) => drug.risk.serotonergic === 2 },
  { name: "LEVODOPA_GRP", holds: (drug) => ["levodopa_carbidopa", "pramipexole", "ropinirole"].includes(drug.drugId) },
  {
    name: "ANTIPSYCH_D2",
    holds: (drug) => drug.groups.includes("ANTIPSYCH") && !["quetiapine", "clozapine"].includes(drug.drugId),
  },
];

/** True for a token that is computed at load. */
export function isDerivedGroup(token: string): boolean {
  return DERIVED_GROUPS.some((group) => group.name === token);
}

function inhibits(drug: Drug, enzyme: string, strength: EnzymeStrength): boolean {
  return drug.inhibits.some((effect) => effect.enzyme === enzyme && effect.strength === strength);
}

function induces(drug: Drug, enzyme: string, strength: EnzymeStrength): boolean {
  return drug.induces.some((effect) => effect.enzyme === enzyme && effect.strength === strength);
}

function inhibitsPgp(drug: Drug): boolean {
  return drug.transporters.some(({ transporter, role }) => transporter === "P-gp" && role === "Inh");
}
