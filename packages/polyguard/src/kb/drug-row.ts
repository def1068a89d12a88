import { isBeersCondition, isKnownIndication } from "./conditions.ts";
import { RISK_COLUMNS, type RiskColumn, TAPER_CLASSES } from "./domains.ts";
import { parseRenalRule } from "./renal-rule.ts";
import type { TableRow } from "./table.ts";
import type {
  BeersEntry,
  Drug,
  EnzymeEffect,
  EnzymeFraction,
  EnzymeStrength,
  StrengthUnit,
  TransporterRole,
} from "./types.ts";

/** Header of the drug table. */
export const DRUG_COLUMNS: readonly string[] = [
  "drug_id",
  "generic_name",
  "atc",
  "rxcui",
  "drug_class",
  "groups",
  "route",
  "form",
  "dose_min",
  "dose_max",
  "dose_unit",
  "max_daily",
  "max_daily_age65",
  "doses_per_day",
  "strengths",
  "renal_rule",
  "fe_renal",
  "t_half_h",
  "cyp_substrate_fm",
  "fm_confidence",
  "cyp_inhibitor",
  "cyp_inducer",
  "transporter",
  "qt_risk",
  "acb",
  ...RISK_COLUMNS,
  "beers2023",
  "taper_class",
  "taper_if_days_gt",
  "narrow_ti",
  "monitoring",
  "indications",
  "stop_harm",
  "source",
  "notes",
];

const ENZYME = "CYP1A2|CYP2B6|CYP2C8|CYP2C9|CYP2C19|CYP2D6|CYP3A4|UGT|UGT1A4|UGT2B15|XO|EPOXIDE";
const FRACTION = "(?:0|1|0\\.\\d+|1\\.0+)";
const ROUTES = ["PO", "SL", "SC", "IV", "TD", "INH", "EYE"] as const;
const FORMS = ["tab", "cap", "inj", "patch", "mdi", "dpi", "sl_tab", "cream", "drops", "liquid"] as const;
const DOSE_UNITS = ["mg/d", "mg/wk", "mcg/d", "U/d"] as const;
const DOSE_LIMIT = 1e6;

/** max_daily of this drug is mg per kg of body weight and day, not mg/d. */
const MAX_PER_KG_DRUG = "gentamicin";
/** Groups whose dose is individualised, so that max_daily may stay blank. */
const UNLIMITED_GROUPS = ["INSULIN", "OPIOID_STRONG"];

/** Checks one row of the drug table against the column rules and reads it; `groups` holds the typed groups only. */
export function readDrugRow(row: TableRow, index: number): Drug {
  const drugId = row.required("drug_id", /^[a-z][a-z0-9_]*$/, "lower-case letters, digits and _");
  const groups = row.list("groups", ";", /^[A-Z0-9][A-Z0-9_]*$/, "an upper-case group token");
  if (groups.length === 0) row.refuse("groups", "at least one group token");
  const doseMin = row.number("dose_min", 0, DOSE_LIMIT);
  const doseMax = row.number("dose_max", 0, DOSE_LIMIT);
  if (doseMin <= 0) row.refuse("dose_min", "a dose above 0");
  if (doseMax < doseMin) row.refuse("dose_max", `a dose of at least dose_min (${doseMin})`);
  const doseUnit = row.oneOf("dose_unit", DOSE_UNITS);
  const isMaxPerKg = drugId === MAX_PER_KG_DRUG;
  const maxDaily = row.optionalNumber("max_daily", 0, DOSE_LIMIT);
  if (maxDaily === null && !groups.some((group) => UNLIMITED_GROUPS.includes(group))) {
    row.refuse("max_daily", `a dose; blank only in the groups ${UNLIMITED_GROUPS.join(", ")}`);
  }
  if (maxDaily !== null && !isMaxPerKg && maxDaily < doseMax) row.refuse("max_daily", `at least dose_max (${doseMax})`);
  const maxDailyAge65 = row.optionalNumber(
    "max_daily_age65",
    doseMin,
    maxDaily === null || isMaxPerKg ? DOSE_LIMIT : maxDaily,
  );
  const dosesPerDay = row.number("doses_per_day", 0.001, 24);
  if ((doseUnit === "mg/wk") !== dosesPerDay < 0.2) {
    if (!(doseUnit === "mg/d" && row.text("form") === "patch"))
      row.refuse("doses_per_day", "below 0.2 exactly for mg/wk rows and patches");
  }
  const form = row.oneOf("form", FORMS);
  const renalRule = parseRenalRule(row.text("renal_rule"));
  if (renalRule === null) {
    row.refuse(
      "renal_rule",
      "clauses CrCl|eGFR op number:effect with effect max=x, factor=f, start=x, avoid, contra, no_start, ineffective, interval[=hours h], monitor, caution, label_limited, avoid_AF, max=1mg/kg/d; TDM; the apixaban AF_RULE",
    );
  }
  const { substrates, prodrug } = readSubstrates(row);
  const feRenal = row.optionalNumber("fe_renal", 0, 1);
  const taperClass = row.oneOf("taper_class", TAPER_CLASSES);
  const taperIfDaysGt =
    taperClass === "NONE" && row.text("taper_if_days_gt") === "" ? null : row.integer("taper_if_days_gt", 1, 365);
  if (taperClass === "NONE" && taperIfDaysGt !== null) row.refuse("taper_if_days_gt", "blank for taper_class NONE");
  const risk = {} as Record<RiskColumn, number>;
  for (const column of RISK_COLUMNS) risk[column] = row.integer(column, 0, 2);
  const qtRisk = row.text("qt_risk") === "" ? null : row.oneOf("qt_risk", ["KR", "PR", "CR", "none"]);
  const indications = row.list("indications", ";", /^[A-Z0-9_]+$/, "a condition code");
  if (indications.length === 0 || !indications.every(isKnownIndication))
    row.refuse("indications", "condition codes of the burden table");
  return {
    index,
    drugId,
    genericName: row.required("generic_name", /^\S.*$/, "a name"),
    atc: row.optional("atc", /^[A-Z]\d\d[A-Z]{2}\d\d$/, "a 7-character ATC code"),
    rxcui: row.optional("rxcui", /^[1-9]\d*$/, "digits"),
    drugClass: row.required("drug_class", /^\S.*$/, "text"),
    groups,
    route: row.oneOf("route", ROUTES),
    form,
    doseMin,
    doseMax,
    doseUnit,
    maxDaily,
    isMaxPerKg,
    maxDailyAge65,
    dosesPerDay,
    ...readStrengths(row, form, doseUnit),
    renalRule,
    feRenal,
    halfLifeH: row.optionalNumber("t_half_h", 0.01, 1e5),
    substrates,
    prodrug,
    fmConfidence: readConfidence(row, substrates.length > 0 || prodrug !== null),
    inhibits: readEffects(row, "cyp_inhibitor", ENZYME),
    induces: readEffects(row, "cyp_inducer", `${ENZYME}|P-gp`),
    transporters: readTransporters(row),
    qtRisk,
    acb: row.integer("acb", 0, 3),
    risk,
    beers: readBeers(row),
    taperClass,
    taperIfDaysGt,
    isNarrowTi: row.integer("narrow_ti", 0, 1) === 1,
    monitoring: row.list("monitoring", ",", /^[A-Z0-9][A-Z0-9_]*$/, "an upper-case code"),
    indications,
    stopHarm: row.integer("stop_harm", 0, 3),
    source: row.required("source", /^\S.*$/, "the origin of the row"),
    notes: row.text("notes"),
  };
}

function readStrengths(
  row: TableRow,
  form: string,
  doseUnit: string,
): { strengths: number[]; strengthUnit: StrengthUnit } {
  const cell = row.text("strengths");
  const match = /^(\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)( mcg\/h|U\/mL|mg\/mL|\/puff)?$/.exec(cell);
  if (match === null)
    row.refuse("strengths", "numbers separated by commas, with mcg/h, U/mL, mg/mL or /puff where the form has it");
  const suffix = match[2]?.trim() ?? "";
  const fits =
    (suffix === "mcg/h") === (form === "patch") &&
    (suffix === "U/mL") === (doseUnit === "U/d") &&
    (suffix !== "mg/mL" || form === "inj" || form === "liquid") &&
    (suffix !== "/puff" || form === "mdi" || form === "dpi");
  if (!fits)
    row.refuse(
      "strengths",
      "mcg/h exactly for patches, U/mL exactly for U/d, mg/mL for inj and liquid, /puff for mdi and dpi",
    );
  const strengths = match[1]!.split(",").map(Number);
  if (strengths.some((strength, i) => strength <= 0 || (i > 0 && strength <= strengths[i - 1]!)))
    row.refuse("strengths", "positive numbers in ascending order");
  const strengthUnit: StrengthUnit = suffix === "" ? "dose" : suffix === "/puff" ? "mg/puff" : (suffix as StrengthUnit);
  return { strengths, strengthUnit };
}

function readSubstrates(row: TableRow): { substrates: EnzymeFraction[]; prodrug: EnzymeFraction | null } {
  const pattern = new RegExp(`^(?:PRODRUG_)?(?:${ENZYME}):${FRACTION}$`);
  const substrates: EnzymeFraction[] = [];
  let prodrug: EnzymeFraction | null = null;
  let sum = 0;
  for (const entry of row.list("cyp_substrate_fm", ";", pattern, "ENZYME:fraction or PRODRUG_ENZYME:share")) {
    const [name, value] = entry.split(":") as [string, string];
    const fraction = Number(value);
    if (name.startsWith("PRODRUG_")) {
      if (prodrug !== null) row.refuse("cyp_substrate_fm", "at most one PRODRUG entry");
      prodrug = { enzyme: name.slice("PRODRUG_".length), fraction };
      continue;
    }
    if (substrates.some(({ enzyme }) => enzyme === name)) row.refuse("cyp_substrate_fm", "each enzyme once");
    substrates.push({ enzyme: name, fraction });
    sum += fraction;
  }
  if (sum > 1 + 1e-9) row.refuse("cyp_substrate_fm", "fractions that add up to at most 1");
  return { substrates, prodrug };
}

function readConfidence(row: TableRow, hasPath: boolean): "H" | "M" | "L" | null {
  if (hasPath) return row.oneOf<"H" | "M" | "L">("fm_confidence", ["H", "M", "L"]);
  if (row.text("fm_confidence") !== "") row.refuse("fm_confidence", "blank where cyp_substrate_fm is blank");
  return null;
}

function readEffects(row: TableRow, column: string, enzymes: string): EnzymeEffect[] {
  const pattern = new RegExp(`^(?:${enzymes}):(?:weak|moderate|strong)$`);
  return row.list(column, ";", pattern, "ENZYME:weak, moderate or strong").map((entry) => {
    const [enzyme, strength] = entry.split(":") as [string, EnzymeStrength];
    return { enzyme, strength };
  });
}

function readTransporters(row: TableRow): TransporterRole[] {
  const pattern = /^(?:P-gp|OATP1B1|BCRP|OCT2|MATE):(?:S|Inh|InhW)$/;
  return row
    .list("transporter", ";", pattern, "P-gp, OATP1B1, BCRP, OCT2 or MATE with :S, :Inh or :InhW")
    .map((entry) => {
      const [transporter, role] = entry.split(":") as [string, TransporterRole["role"]];
      return { transporter, role };
    });
}

function readBeers(row: TableRow): BeersEntry[] {
  const allowed = "AVOID:text, AVOID_COND:CONDITION or CONDITION(text), CAUTION:text, RENAL:text or DDI:token";
  return row.list("beers2023", ";", /^(?:AVOID|AVOID_COND|CAUTION|RENAL|DDI):\S.*$/, allowed).map((entry) => {
    const colon = entry.indexOf(":");
    const kind = entry.slice(0, colon) as BeersEntry["kind"];
    const text = entry.slice(colon + 1);
    if (kind !== "AVOID_COND") return { kind, text, conditions: [] };
    const conditions = text.replace(/\(.*\)$/, "").split(",");
    if (!conditions.every(isBeersCondition))
      row.refuse("beers2023", "AVOID_COND with risk conditions or NO_INDICATION");
    return { kind, text, conditions };
  });
}
