import type { TableRow } from "./table.ts";
import type { CodeEntry } from "./types.ts";

/** Header of the code table. */
export const CODE_COLUMNS: readonly string[] = ["kind", "name", "system", "code", "ucum", "snomed_ct"];

/** Checks one row of the code table and reads it: LOINC with UCUM for labs, ICD-10-CM for conditions. */
export function readCodeRow(row: TableRow): CodeEntry {
  const kind = row.oneOf("kind", ["lab", "condition"]);
  const system = row.oneOf("system", kind === "lab" ? ["LOINC"] : ["ICD-10-CM"]);
  const isLab = kind === "lab";
  const ucum = isLab ? row.required("ucum", /^\S+$/, "a UCUM unit") : null;
  if (!isLab && row.text("ucum") !== "") row.refuse("ucum", "blank for a condition");
  return {
    kind,
    name: row.required("name", /^\S.*$/, "a name"),
    system,
    code: isLab
      ? row.required("code", /^\d{1,7}-\d$/, "a LOINC code")
      : row.required("code", /^[A-Z]\d[0-9A-Z](\.[0-9A-Z]{1,4})?$/, "an ICD-10-CM code"),
    ucum,
    snomedCt: row.optional("snomed_ct", /^\d{6,18}$/, "a SNOMED CT identifier"),
  };
}
