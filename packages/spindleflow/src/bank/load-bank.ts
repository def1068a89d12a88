import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { didYouMean, PraxisError } from "@praxis/env";
import { z } from "zod";
import { type Bank, SECTORS, type Sector } from "./bank.ts";
import { DIM, layOutTexts, vectorsAt } from "./bank-texts.ts";
import { decodeFloat16 } from "./float16.ts";
import { type BankSources, type BankText, makeBankText } from "./make-bank.ts";
import type { NamedText } from "./sector-words.ts";

// `../../` is right from src and from dist alike.
const DATA = new URL("../../data/", import.meta.url);
const REMAKE = "Run 'node scripts/make-bank.mjs' to make it anew.";

const fileSchema = z.strictObject({ file: z.string(), rows: z.int(), bytes: z.int(), sha256: z.string() });
const manifestSchema = z.strictObject({
  version: z.literal(1),
  embedder: z.string(),
  sectors: z.record(
    z.string(),
    z.strictObject({
      bankSha256: z.string(),
      vectors: fileSchema,
      extraVectors: fileSchema,
      thresholds: z.strictObject({ spawn: z.number(), claim: z.number(), domain: z.number() }),
    }),
  ),
});

/** What `data/manifest.json` says: checksums of texts and vectors, and figures that need the vectors of all texts. */
export type BankManifest = z.output<typeof manifestSchema>;

function readData(path: string): Buffer {
  try {
    return readFileSync(new URL(path, DATA));
  } catch (error) {
    throw new PraxisError("INVALID_CONFIG", `The bank's file data/${path} can't be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** The sources of a sector that ship with this package. Throws UNKNOWN_NAME for another sector, with the nearest. */
function readBankSources(sector: string): BankSources {
  if (!SECTORS.includes(sector as Sector)) {
    throw new PraxisError(
      "UNKNOWN_NAME",
      `There is no bank of the sector '${sector}'.${didYouMean(sector, SECTORS)} Known: ${SECTORS.join(", ")}.`,
    );
  }
  const named = (file: string): NamedText => ({ file: `data/${file}`, text: readData(file).toString("utf8") });
  return {
    sharedWords: named("words.yaml"),
    words: named(`${sector}/words.yaml`),
    tasks: named(`${sector}/tasks.yaml`),
    catalog: named(`${sector}/catalog.yaml`),
  };
}

/** The texts of a sector's bank, without vectors. Throws as {@link loadBank}. */
export function loadBankText(sector: string): BankText {
  return makeBankText(readBankSources(sector));
}

/** The manifest beside the vectors. Throws INVALID_CONFIG when it is unreadable. */
export function readBankManifest(): BankManifest {
  try {
    return manifestSchema.parse(JSON.parse(readData("manifest.json").toString("utf8")));
  } catch (error) {
    if (error instanceof PraxisError) throw error;
    throw new PraxisError("INVALID_CONFIG", `data/manifest.json is damaged. ${REMAKE}`, { cause: error });
  }
}

/** Banks read by this process; they never change. */
const loaded = new Map<string, Bank>();

/**
 * The bank of a sector with the vectors that ship with this package, read once a process; Node only, about a second. Texts and
 * vectors are held against the manifest's checksums: INVALID_CONFIG when they differ. Throws UNKNOWN_NAME for a sector without a bank.
 */
export function loadBank(sector: string): Bank {
  const known = loaded.get(sector);
  if (known !== undefined) return known;
  const bank = readBank(sector);
  loaded.set(sector, bank);
  return bank;
}

function readBank(sector: string): Bank {
  const text = loadBankText(sector);
  const { embedder, sectors } = readBankManifest();
  const entry = sectors[sector];
  if (entry === undefined) throw new PraxisError("INVALID_CONFIG", `data/manifest.json lacks '${sector}'. ${REMAKE}`);
  if (entry.bankSha256 !== text.hash) {
    throw new PraxisError(
      "INVALID_CONFIG",
      `The texts of '${sector}' have the SHA-256 ${text.hash}; their vectors belong to ${entry.bankSha256}. ${REMAKE}`,
    );
  }
  const table = layOutTexts(text);
  const rows = [
    readVectors(entry.vectors, table.bank.length),
    readVectors(entry.extraVectors, table.extra.length),
  ].flat();
  return { ...text, thresholds: entry.thresholds, vectors: vectorsAt(embedder, table, (place) => rows[place]!) };
}

function readVectors(
  { file, sha256 }: { readonly file: string; readonly sha256: string },
  rows: number,
): Float32Array[] {
  const bytes = readData(file);
  const sum = createHash("sha256").update(bytes).digest("hex");
  if (sum !== sha256 || bytes.length !== 2 * DIM * rows) {
    throw new PraxisError("INVALID_CONFIG", `data/${file} has the SHA-256 ${sum}, not ${sha256}. ${REMAKE}`);
  }
  const values = decodeFloat16(bytes);
  return Array.from({ length: rows }, (_, row) => normalise(values.subarray(row * DIM, (row + 1) * DIM)));
}

/** Makes the length 1 again after rounding to 11 bits; in place. */
function normalise(vector: Float32Array): Float32Array {
  let square = 0;
  for (let i = 0; i < vector.length; i++) square += vector[i]! * vector[i]!;
  if (square === 0) return vector;
  const scale = 1 / Math.sqrt(square);
  for (let i = 0; i < vector.length; i++) vector[i]! *= scale;
  return vector;
}
