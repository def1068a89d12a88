import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { showEstimate } from "@praxis/eval";
import { NOTICE } from "@praxis/polyguard";
import type { WrittenReport } from "../evaluation/write-report.ts";
import { LEARNED_POLICIES } from "./learned-places.ts";
import { isLearnedPolicy } from "./learned-policy.ts";
import type { ImprovementLine } from "./learning-report.ts";
import type { PipelineOutcome } from "./pipeline.ts";

/** Figures of a report that a card shows. */
const CURVES = ["sft-loss", "grpo-return", "grpo-kl"];

/** Copies the policies of a pipeline into a folder, with a model card and the curves that it shows. What is there is replaced. */
export function shipPolicies(
  folder: string,
  from: {
    readonly pipeline: string;
    readonly outcome: PipelineOutcome;
    readonly lines: readonly ImprovementLine[];
    readonly report: WrittenReport;
    readonly command: string;
  },
): void {
  mkdirSync(join(folder, "figures"), { recursive: true });
  for (const name of LEARNED_POLICIES) {
    const source = join(from.pipeline, "policies", name);
    if (!isLearnedPolicy(source)) continue;
    mkdirSync(join(folder, name), { recursive: true });
    for (const file of ["policy.json", "policy.safetensors"])
      copyFileSync(join(source, file), join(folder, name, file));
  }
  const shown = from.report.figures.filter(({ name }) => CURVES.includes(name));
  for (const { name, svg } of shown) writeFileSync(join(folder, "figures", `${name}.svg`), svg);
  writeFileSync(
    join(folder, "README.md"),
    modelCard(
      from,
      shown.map(({ name }) => name),
    ),
  );
}

/** The card: what it is, how it was made, what it reaches, where it fails. */
function modelCard(
  { outcome, lines, command }: Parameters<typeof shipPolicies>[1],
  figures: readonly string[],
): string {
  const { settings, checks, evaluation } = outcome;
  const failing = lines.filter(({ improved }) => !improved);
  return [
    "# Learned policies of PolyGuard",
    "",
    NOTICE,
    "",
    "`base` is untrained, `sft` imitates experts, `grpo` goes on from it on the environment's reward. Chosen by `praxis review --policy grpo` and",
    "`praxis eval polyguard --policies grpo,sft,base`; docs/learning.md says what they see and how they are taught.",
    "",
    "| | |",
    "| --- | --- |",
    `| command | \`${command}\` |`,
    `| seed | ${settings.seed} |`,
    `| expert scenarios | ${settings.experts} |`,
    `| epochs of SFT, weights kept | ${settings.epochs}, ${checks.sft?.iteration ?? "-"} |`,
    `| iterations of GRPO at most, weights kept | ${settings.iterations}, ${checks.grpo?.iteration ?? "-"} |`,
    `| code of the environment | ${evaluation.version} |`,
    "",
    `## Task score on held-out scenarios (${settings.split}, ${settings.difficulty})`,
    "",
    "| sub-environment | before GRPO | after | difference (95 % interval) | n |",
    "| --- | --- | --- | --- | --- |",
    ...lines.map(
      ({ subEnvironment, before, after, difference }) =>
        `| ${subEnvironment} | ${before.toFixed(3)} | ${after.toFixed(3)} | ${showEstimate(difference)} | ${difference.n} |`,
    ),
    "",
    ...figures.map((name) => `![${name}](figures/${name}.svg)`),
    "",
    "## Known failures",
    "",
    ...(failing.length === 0
      ? [
          "- None of the lines above is without improvement; single scenarios that got worse are in the pipeline's report.",
        ]
      : failing.map(({ subEnvironment, why }) => `- ${subEnvironment}: not improved, ${why}.`)),
    "- It is trained on simulated patients only, with effects and events of the simulation, and for its tasks alone.",
    "- Held-out means other scenarios of the same generator.",
    "",
  ].join("\n");
}
