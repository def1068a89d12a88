import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { PraxisError } from "@praxis/env";
import { type Estimate, showEstimate } from "@praxis/eval";
import type { Measurement } from "./figures.ts";
import { praxis } from "./praxis-command.ts";
import { SHARE, scaled } from "./share.ts";

const SHIFTS = scaled(500, 5);

/** The orchestrator that ships, and those it is compared with. */
const [TRAINED, FRUGAL, MEMORYLESS] = ["set", "frugal", "memoryless"] as const;
const ORACLES = ["truthStep", "reference"];
const PLANNERS = ["textPlan", "taskPlan", "beliefPlan"];

type Report = (measurement: Measurement) => void;

/** What the bench reads of `report.json` of an evaluation. */
interface Evaluation {
  readonly evaluation: { readonly players: readonly { readonly name: string; readonly player: object }[] };
  readonly policies: readonly {
    readonly split: string;
    readonly policy: string;
    readonly reward: Estimate;
    readonly normalizedScore: Estimate | null;
    readonly metrics: Readonly<Record<string, Estimate>>;
    readonly usd: { readonly judgePer1000Episodes: number };
  }[];
  readonly differences: readonly {
    readonly split: string;
    readonly policy: string;
    readonly minus: string;
    readonly reward: Estimate;
    readonly laterTasks: Estimate | null;
  }[];
  readonly unbounded: readonly string[];
}

function measureScores(report: Report, { policies, unbounded }: Evaluation): void {
  for (const [split, goal] of [
    ["train", ">= 0.6"],
    ["heldout", ">= 0.51"],
  ] as const) {
    const own = policies.find((each) => each.split === split && each.policy === TRAINED)!;
    const score = own.normalizedScore!;
    const planner = policies.find((each) => each.split === split && each.policy === "beliefPlan")!.normalizedScore!;
    report({
      id: `spindle.ns_${split}`,
      ...{ value: score.mean, unit: "NS", goal, n: score.n, interval: [score.low, score.high] },
      peer: `beliefPlan: ${planner.mean.toFixed(2)}`,
      note: `R ${own.reward.mean.toFixed(3)} a task, true Q ${own.metrics.trueQuality!.mean.toFixed(2)}, one training seed; ${unbounded.length === 0 ? "the reference bounds every script" : `the reference does not bound ${unbounded.join(", ")}`}`,
    });
  }
  const of = (split: string): number =>
    policies.find((each) => each.split === split && each.policy === TRAINED)!.normalizedScore!.mean;
  report({
    ...{ id: "spindle.zero_shot", value: of("heldout") / of("train"), unit: "NS held-out / training", goal: ">= 0.85" },
    ...{ peer: null, n: SHIFTS, interval: null },
    note: "specialists and tasks that training never showed; that slots permute exactly is a test of the policies",
  });
}

/** The least lower bound of the differences to all rules; the rule it belongs to. */
function measureRules(report: Report, { differences, evaluation }: Evaluation): void {
  const scripts = evaluation.players.flatMap(({ name, player }) => ("script" in player ? [name] : []));
  for (const split of ["train", "heldout"]) {
    const own = differences.filter((each) => each.split === split && each.policy === TRAINED);
    const rules = own.filter(({ minus }) => scripts.includes(minus) && ![...ORACLES, ...PLANNERS].includes(minus));
    const closest = rules.reduce((a, b) => (b.reward.low < a.reward.low ? b : a));
    const text = own.find(({ minus }) => minus === "textPlan")!.reward;
    report({
      id: `spindle.vs_scripts_${split}`,
      ...{ value: closest.reward.low, unit: "R per task, least lower bound", goal: split === "train" ? "> 0" : ">= 0" },
      ...{ peer: `closest rule: ${closest.minus}`, n: closest.reward.n },
      interval: [closest.reward.low, closest.reward.high],
      note: `paired, ${rules.length} rules; minus textPlan ${showEstimate(text)}`,
    });
  }
}

function measureMemory(report: Report, { differences }: Evaluation): void {
  const later = (policy: string, minus: string): Estimate | null =>
    differences.find((each) => each.split === "train" && each.policy === policy && each.minus === minus)?.laterTasks ??
    null;
  for (const [id, policy, minus, goal] of [
    ["spindle.memory", TRAINED, MEMORYLESS, ">= 0.02"],
    ["spindle.memory_in_scripts", "beliefPlan", "taskPlan", ">= 0.03"],
  ] as const) {
    const worth = later(policy, minus);
    // An orchestrator that does not ship has no figure.
    if (worth === null) continue;
    const { mean, low, high, n } = worth;
    report({
      ...{ id, value: mean, unit: "R per task, tasks 2 to 5", goal, peer: null, n, interval: [low, high] },
      note: `${policy} minus ${minus}, paired, training specialists`,
    });
  }
}

function measureFrontier(report: Report, { policies }: Evaluation): void {
  const of = (policy: string) => policies.find((each) => each.split === "train" && each.policy === policy);
  const [balanced, frugal] = [of(TRAINED), of(FRUGAL)];
  if (balanced === undefined || frugal === undefined) return;
  const [before, after] = [balanced.metrics.costUnits!, frugal.metrics.costUnits!];
  const lost = balanced.metrics.trueQuality!.mean - frugal.metrics.trueQuality!.mean;
  const saved = 100 * (1 - after.mean / before.mean);
  report({
    // Fewer units at a quality that is lost are no saving.
    ...{ id: "spindle.frontier", value: lost <= 0.03 ? saved : Math.min(0, saved), unit: "% fewer cost units" },
    ...{ goal: ">= 15", peer: null, n: after.n, interval: null },
    note: `frugal ${after.mean.toFixed(2)}, balanced ${before.mean.toFixed(2)} units a task; true Q ${(-lost).toFixed(3)}; judging 1,000 shifts USD ${balanced.usd.judgePer1000Episodes.toFixed(2)} (founding claim 8)`,
  });
}

function measureDemo(report: Report, folder: string): void {
  const sizes =
    SHARE >= 1 ? [] : ["--timesteps", String(scaled(50_000, 1500)), "--warm-start.shifts", String(scaled(1000, 20))];
  const begun = performance.now();
  const { err } = praxis("train", "spindleflow", "--demo", "--threads", "2", "--runs", join(folder, "demo"), ...sizes);
  const minutes = (performance.now() - begun) / 60_000;
  const line = err.split("\n").find((each) => each.startsWith("On ")) ?? "";
  const told = /^On (\d+) new shifts.*difference (\S+) \(95 % interval (\S+) to ([^)\s]+)\)/u.exec(line);
  if (told === null) throw new PraxisError("ENVIRONMENT_ERROR", "praxis train spindleflow --demo told no difference.");
  const [n, gain, low, high] = told.slice(1).map(Number) as [number, number, number, number];
  report({
    ...{ id: "spindle.demo_minutes", value: minutes, unit: "minutes", goal: "< 3", peer: null, n: 1, interval: null },
    note: `${scaled(50_000, 1500)} steps, evaluation included`,
  });
  report({
    ...{ id: "spindle.demo_gain", value: low, unit: "R, lower bound", goal: "> 0", peer: null, n },
    ...{ interval: [low, high], note: `trained minus the greedy rule in its phase, mean ${gain}. ${line}` },
  });
}

function measureTransfer(report: Report): void {
  const sizes = SHARE >= 1 ? [] : ["--episodes", "8", "--long-episodes", "10", "--sector", "legal_review"];
  const { out } = praxis("transfer", "spindleflow", "--n", String(SHIFTS), ...sizes, "--json");
  const results = JSON.parse(out) as readonly {
    readonly sector: string;
    readonly afterMinusBefore: Estimate;
    readonly afterMinusScratch: Estimate;
  }[];
  const holds = results.filter(
    ({ afterMinusScratch, afterMinusBefore }) => afterMinusScratch.low > 0 && afterMinusBefore.high >= 0,
  );
  report({
    ...{ id: "spindle.transfer", value: holds.length, unit: "sectors", goal: `>= ${results.length}`, peer: null },
    ...{ n: SHIFTS, interval: null },
    note: `sectors in which 50 shifts beat 50 from scratch, interval above 0, and do not lose against none, interval not below 0; ${results
      .map(
        ({ sector, afterMinusScratch, afterMinusBefore }) =>
          `${sector}: minus scratch ${showEstimate(afterMinusScratch)}, minus zero-shot ${showEstimate(afterMinusBefore)}`,
      )
      .join("; ")}`,
  });
}

/** What the orchestrators that ship reach, what training takes. `PRAXIS_BENCH_SHARE=0.01` plays a hundredth. */
export async function measureSpindle(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "praxis-bench-spindle-"));
  try {
    measureDemo(report, folder);
    praxis(
      ...["eval", "spindleflow", "--policies", "all", "--split", "train,heldout", "--n", String(SHIFTS)],
      ...["--out", join(folder, "evaluation"), "--json"],
    );
    const evaluation = JSON.parse(readFileSync(join(folder, "evaluation", "report.json"), "utf8")) as Evaluation;
    measureScores(report, evaluation);
    measureRules(report, evaluation);
    measureMemory(report, evaluation);
    measureFrontier(report, evaluation);
    measureTransfer(report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
