import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { didYouMean, PraxisError } from "@praxis/env";
import { measureBandit } from "./bandit.ts";
import { measureBaselines } from "./baselines.ts";
import { measureCds } from "./cds.ts";
import { measureDelegation } from "./delegation-ppo.ts";
import { measureDosing } from "./dosing.ts";
import {
  type Figure,
  fillFigures,
  formatValue,
  judge,
  type Measurement,
  mergeFigures,
  readFigures,
  writeFigures,
} from "./figures.ts";
import { measureFlow } from "./flow.ts";
import { measureHoldouts } from "./holdouts.ts";
import { measureLearn } from "./learn.ts";
import { measureNn } from "./nn.ts";
import { measurePolyguard } from "./polyguard.ts";
import { measureEvaluation } from "./polyguard-eval.ts";
import { measureHorizon } from "./polyguard-horizon.ts";
import { measureReward } from "./polyguard-reward.ts";
import { measurePpo } from "./ppo.ts";
import { measureServer } from "./server.ts";
import { measureSpindle } from "./spindle.ts";
import { measureSpindleEnv } from "./spindle-env.ts";
import { measureSpindleRouting } from "./spindle-routing.ts";
import { measureWeb } from "./web.ts";

/** Benchmarks by name. Each reports its measurements as it goes. */
const BENCHES: Readonly<Record<string, (report: (measurement: Measurement) => void) => Promise<void>>> = {
  server: measureServer,
  polyguard: measurePolyguard,
  cds: measureCds,
  polyguard_eval: measureEvaluation,
  polyguard_reward: measureReward,
  polyguard_horizon: measureHorizon,
  dosing: measureDosing,
  bandit: measureBandit,
  baselines: measureBaselines,
  nn: measureNn,
  flow: measureFlow,
  ppo: measurePpo,
  delegation: measureDelegation,
  holdouts: measureHoldouts,
  learn: measureLearn,
  spindle: measureSpindle,
  web: measureWeb,
  spindle_env: measureSpindleEnv,
  spindle_routing: measureSpindleRouting,
};

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const figuresPath = join(root, "bench", "figures.json");

function currentCommit(): string {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  try {
    const dirty = git("status", "--porcelain", "--", "packages", "bench/src") !== "";
    return git("rev-parse", "--short=10", "HEAD") + (dirty ? "+" : "");
  } catch {
    return "unknown";
  }
}

/** Documents with figure tables: README files and docs pages. */
function documents(): string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"], {
    cwd: root,
    encoding: "utf8",
  });
  return listed
    .split("\0")
    .filter((path) => path !== "")
    .map((path) => join(root, path));
}

/** Rewrites the tables; with `checkOnly` returns the documents that differ instead. */
function updateDocuments(figures: readonly Figure[], checkOnly: boolean): string[] {
  const stale: string[] = [];
  for (const path of documents()) {
    const text = readFileSync(path, "utf8");
    const filled = fillFigures(text, figures);
    if (filled === text) continue;
    stale.push(path);
    if (!checkOnly) writeFileSync(path, filled);
  }
  return stale;
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--check-docs") || args.includes("--write-docs")) {
    const checkOnly = args.includes("--check-docs");
    const stale = updateDocuments(readFigures(figuresPath), checkOnly);
    for (const path of stale) console.log(`${checkOnly ? "differs from bench/figures.json" : "rewritten"}: ${path}`);
    return checkOnly && stale.length > 0 ? 1 : 0;
  }
  const record = args.includes("--record");
  const names = args.filter((arg) => !arg.startsWith("--"));
  const unknown = args.find((arg) => arg.startsWith("--") && arg !== "--record");
  if (unknown !== undefined)
    throw new PraxisError(
      "UNKNOWN_NAME",
      `Unknown option '${unknown}'.${didYouMean(unknown, ["--record", "--check-docs", "--write-docs"])}`,
    );
  if (names.length === 0) {
    console.log(`npm run bench -- NAME… [--record]\nNames: ${Object.keys(BENCHES).join(", ")}`);
    return 2;
  }
  for (const name of names)
    if (!Object.hasOwn(BENCHES, name))
      throw new PraxisError("UNKNOWN_NAME", `Unknown benchmark '${name}'.${didYouMean(name, Object.keys(BENCHES))}`);
  const commit = currentCommit();
  const measured: Figure[] = [];
  for (const name of names) {
    await BENCHES[name]!((measurement) => {
      const figure: Figure = {
        ...measurement,
        met: judge(measurement.value, measurement.goal),
        command: `npm run bench -- ${name}`,
        commit,
        when: new Date().toISOString().slice(0, 10),
      };
      measured.push(figure);
      // At once, so that a long run that is cut short keeps what it has measured.
      if (record) writeFigures(figuresPath, mergeFigures(readFigures(figuresPath), [figure]));
      const verdict =
        figure.met === null ? "" : figure.met ? `  (goal ${figure.goal}: met)` : `  (goal ${figure.goal}: NOT met)`;
      console.log(
        `${figure.id.padEnd(28)} ${formatValue(figure)}  n=${figure.n}${figure.peer === null ? "" : `  peer: ${figure.peer}`}${verdict}${figure.note === "" ? "" : `\n${" ".repeat(29)}${figure.note}`}`,
      );
    });
  }
  if (record) {
    updateDocuments(readFigures(figuresPath), false);
    console.log(`Recorded ${measured.length} figures in bench/figures.json.`);
  }
  return 0;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof PraxisError ? error.message : error);
    process.exitCode = error instanceof PraxisError ? 2 : 1;
  },
);
