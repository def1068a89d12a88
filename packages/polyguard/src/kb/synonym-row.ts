import type { TableRow } from "./table.ts";
import type { Synonym } from "./types.ts";

/** Header of the synonym table. */
export const SYNONYM_COLUMNS: readonly string[] = ["name", "drug_id", "kind", "source"];

/** Checks one row of the synonym table against the drugs and reads it. */
export function readSynonymRow(
  row: TableRow,
  drugs: { readonly byId: ReadonlyMap<string, number>; readonly byName: ReadonlyMap<string, number> },
): Synonym {
  const name = row.required("name", /^\S.*$/, "a name");
  if (name !== name.toLowerCase() || drugs.byName.has(name))
    row.refuse("name", "a lower-case name that is not generic");
  const drugIndex = drugs.byId.get(row.text("drug_id")) ?? row.refuse("drug_id", "an id of the drug table");
  row.required("source", /^\S.*$/, "where the name is from");
  return { name, drugIndex, kind: row.oneOf("kind", ["brand", "name"]) };
}
