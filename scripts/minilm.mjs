// Puts the sentence embedder's weights where tests look for them:
//   node scripts/minilm.mjs            says what is there
//   node scripts/minilm.mjs --install  fetches all-MiniLM-L6-v2 (91 MB, Apache-2.0) into .peers/minilm
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findMiniLmFiles } from "../packages/llm/dist/node/index.js";

const FLAGS = ["--install", "--help"];

async function main(args) {
  const unknown = args.find((arg) => !FLAGS.includes(arg));
  if (unknown !== undefined || args.includes("--help")) {
    console.error(
      `${unknown === undefined ? "" : `minilm: unknown flag ${unknown}. `}Usage: node scripts/minilm.mjs [--install]`,
    );
    return unknown === undefined ? 0 : 2;
  }
  const cache = join(dirname(fileURLToPath(import.meta.url)), "..", ".peers", "minilm");
  const search = { cache, env: process.env, home: homedir(), report: (line) => console.log(line) };
  try {
    await findMiniLmFiles(args.includes("--install") ? { ...search, fetch } : search);
    return 0;
  } catch (error) {
    console.error(error.message);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
