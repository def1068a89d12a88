import { cosine } from "../bank/bank-index.ts";
import type { RoutingTable } from "./table.ts";

/** A table with the vectors of its texts. */
export interface EmbeddedTable {
  readonly table: RoutingTable;
  readonly embedderId: string;
  /** Per query of the table, L2-normalised. */
  readonly queryVectors: readonly Float32Array[];
  readonly modelVectors: readonly Float32Array[];
}

/** Embeds a table. @param embed L2-normalised vectors of 384 numbers */
export function embedTable(
  table: RoutingTable,
  { id, embed }: { readonly id: string; readonly embed: (text: string) => Float32Array },
): EmbeddedTable {
  return {
    table,
    embedderId: id,
    queryVectors: table.queries.map(({ text }) => embed(text)),
    modelVectors: table.models.map(({ text }) => embed(text)),
  };
}

/** What is expected of each model on a query. */
export interface Expected {
  readonly scores: readonly number[];
  readonly costs: readonly number[];
}

/**
 * Mean outcome of each model over the `k` training queries nearest by cosine; a training query does not see itself.
 * @param query index into the table's queries
 */
export function knnExpected({ table, queryVectors }: EmbeddedTable, query: number, k: number): Expected {
  const vector = queryVectors[query]!;
  // The k best so far, nearest first: k is small beside the table.
  const near: { readonly at: number; readonly cosine: number }[] = [];
  for (let at = 0; at < table.queries.length; at++) {
    if (at === query || table.queries[at]!.split !== "train") continue;
    const c = cosine(vector, queryVectors[at]!);
    if (near.length === k && c <= near[k - 1]!.cosine) continue;
    let place = near.length;
    while (place > 0 && near[place - 1]!.cosine < c) place--;
    near.splice(place, 0, { at, cosine: c });
    if (near.length > k) near.pop();
  }
  const mean = (of: "scores" | "costs"): number[] =>
    table.models.map((_, m) => near.reduce((sum, { at }) => sum + table.queries[at]![of][m]!, 0) / near.length);
  return { scores: mean("scores"), costs: mean("costs") };
}
