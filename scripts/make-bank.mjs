// Makes the banks of SpindleFlow anew: vectors of all texts by the embedder minilm, checksums, figures that need them.
//   node scripts/make-bank.mjs [SECTOR...]          writes packages/spindleflow/data/ (needs the embedder's weights, 91 MB)
//   node scripts/make-bank.mjs --jsonl DIR [SECTOR...]   writes the texts with their latent fields as JSON lines for people
// An hour of one core for all four sectors without the native kernels, ten minutes with them.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeMiniLm } from "../packages/llm/dist/index.js";
import { findMiniLmFiles } from "../packages/llm/dist/node/index.js";
import { selectKernels } from "../packages/nn/dist/node/index.js";
import {
  BankIndex,
  bankLines,
  encodeFloat16,
  layOutTexts,
  loadBankText,
  measureThresholds,
  SECTORS,
  vectorsAt,
} from "../packages/spindleflow/dist/bank/index.js";

const DATA = fileURLToPath(new URL("../packages/spindleflow/data/", import.meta.url));
const USAGE = "Usage: node scripts/make-bank.mjs [--jsonl DIR] [SECTOR...]";
const BATCH = 64;

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

function embedTexts(minilm, texts, name) {
  const rows = [];
  for (let i = 0; i < texts.length; i += BATCH) {
    rows.push(...minilm.embedAll(texts.slice(i, i + BATCH)));
    if (process.stderr.isTTY) process.stderr.write(`\r${name}: ${rows.length} of ${texts.length} `);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  return rows;
}

function writeVectors(file, rows) {
  const bytes = Buffer.concat(rows.map(encodeFloat16));
  writeFileSync(join(DATA, file), bytes);
  return { file, rows: rows.length, bytes: bytes.length, sha256: sha256(bytes) };
}

function rounded(figures) {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(4))]));
}

function makeSector(minilm, sector) {
  const text = loadBankText(sector);
  const table = layOutTexts(text);
  const bank = embedTexts(minilm, table.bank, sector);
  const extra = embedTexts(minilm, table.extra, `${sector}, hand-written`);
  const rows = [...bank, ...extra];
  const vectors = vectorsAt(minilm.id, table, (place) => rows[place]);
  return {
    bankSha256: text.hash,
    vectors: writeVectors(`${sector}/vectors.f16`, bank),
    extraVectors: writeVectors(`${sector}/extra-vectors.f16`, extra),
    thresholds: rounded(measureThresholds(new BankIndex({ ...text, vectors }))),
  };
}

/** What the manifest says already, so that a run for one sector leaves the others. */
function readSectors(embedder) {
  try {
    const manifest = JSON.parse(readFileSync(join(DATA, "manifest.json"), "utf8"));
    return manifest.embedder === embedder ? manifest.sectors : {};
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return {};
  }
}

async function main(args) {
  const jsonl = args[0] === "--jsonl" ? args.splice(0, 2)[1] : null;
  const wrong = args.find((arg) => !SECTORS.includes(arg));
  if (jsonl === undefined || wrong !== undefined) {
    console.error(`make-bank: ${wrong === undefined ? "--jsonl needs a folder" : `unknown sector ${wrong}`}. ${USAGE}`);
    return 2;
  }
  const sectors = args.length === 0 ? SECTORS : args;
  if (jsonl !== null) {
    for (const sector of sectors) {
      mkdirSync(join(jsonl, sector), { recursive: true });
      writeFileSync(join(jsonl, sector, "bank.jsonl"), `${bankLines(loadBankText(sector)).join("\n")}\n`);
      console.log(join(jsonl, sector, "bank.jsonl"));
    }
    return 0;
  }
  const cache = fileURLToPath(new URL("../.peers/minilm", import.meta.url));
  const report = (line) => console.error(line);
  const files = await findMiniLmFiles({ cache, env: process.env, home: homedir(), fetch, report });
  const { kernels, line } = await selectKernels("auto");
  report(line);
  const minilm = makeMiniLm(kernels, files);
  const made = readSectors(minilm.id);
  for (const sector of sectors) {
    made[sector] = makeSector(minilm, sector);
    const ordered = Object.fromEntries(SECTORS.filter((name) => made[name]).map((name) => [name, made[name]]));
    const manifest = { version: 1, embedder: minilm.id, sectors: ordered };
    writeFileSync(join(DATA, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    console.log(`${sector}: ${made[sector].vectors.rows} + ${made[sector].extraVectors.rows} rows`);
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
