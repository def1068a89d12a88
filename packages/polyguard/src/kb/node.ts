import { readFileSync } from "node:fs";
import { loadKnowledgeBase, refuseMissingTable } from "./load.ts";
import type { KnowledgeBase, KnowledgeTables } from "./types.ts";

function readTable(file: string): string {
  try {
    // `../../data` is right from src/kb and from dist/kb alike.
    return readFileSync(new URL(`../../data/${file}`, import.meta.url), "utf8");
  } catch (cause) {
    return refuseMissingTable(file, cause);
  }
}

/** The tables that ship with the package, as text. Node only. Throws INVALID_CONFIG when a file is missing. */
export function readBundledTables(): KnowledgeTables {
  return {
    drugs: readTable("drugs.tsv"),
    interactions: readTable("interactions.tsv"),
    codes: readTable("codes.tsv"),
    synonyms: readTable("synonyms.tsv"),
  };
}

let bundled: KnowledgeBase | undefined;

/** The checked knowledge base that ships with the package, read once. Node only. */
export function loadBundledKnowledgeBase(): KnowledgeBase {
  bundled ??= loadKnowledgeBase(readBundledTables());
  return bundled;
}
