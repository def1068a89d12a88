import { compileFlow } from "./compile.ts";
import type { Environment } from "./environment.ts";
import { nearestName } from "./nearest.ts";
import type { FlowPlan } from "./plan.ts";
import { makeProblem, type Problem, sortProblems } from "./problem.ts";
import { checkMeaning, type MeaningOptions } from "./semantics/check.ts";
import type { Names } from "./semantics/collect.ts";
import { type FlowFiles, type FlowSources, loadSources } from "./sources.ts";

/** What a check needs beside the file. */
export interface CheckOptions {
  readonly files: FlowFiles;
  /** Environment variables; default none. */
  readonly env?: Environment;
  readonly hostTools?: readonly string[];
  readonly embedderDimensions?: Readonly<Record<string, number>>;
  /** Model that stands in for the default of the file. */
  readonly model?: string;
  /** Whether money is limited from outside the file: each model that costs has to have a price then (E243). */
  readonly limitsMoney?: boolean;
}

/** Problems of a flow file, sorted, and its plan when none of them is an error. */
export interface CheckedFlow {
  readonly problems: readonly Problem[];
  readonly plan: FlowPlan | null;
  /** Text of every file that was read, for excerpts. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads and checks a flow file with all it includes, and reports every problem at once; never throws for a bad file. */
export async function checkFlow(file: string, options: CheckOptions): Promise<CheckedFlow> {
  const loaded = await loadSources(file, options.files);
  const problems: Problem[] = [...loaded.problems];
  const meaning: MeaningOptions = {
    env: options.env ?? {},
    hostTools: options.hostTools ?? [],
    embedderDimensions: options.embedderDimensions ?? { hash384: 384, minilm: 384 },
    model: options.model,
    limitsMoney: options.limitsMoney ?? false,
    memoryHead: (file, folder, namespace) => options.files.memoryHead?.(file, folder, namespace),
  };
  const checked = new Map<FlowSources, ReturnType<typeof checkMeaning>>();
  const visit = (sources: FlowSources): void => {
    if (checked.has(sources)) return;
    const result = checkMeaning(sources, meaning);
    checked.set(sources, result);
    problems.push(...result.problems);
    for (const inner of sources.subflows.values()) visit(inner);
  };
  if (loaded.sources !== null) {
    visit(loaded.sources);
    problems.push(...unknownOverride(checked.get(loaded.sources)!.names, options.model));
  }
  const sorted = sortProblems(withoutEchoes(problems));
  const isBad = sorted.some((problem) => problem.severity === "error");
  return {
    problems: sorted,
    plan: isBad || loaded.sources === null ? null : compile(loaded.sources, checked, meaning.env),
    texts: loaded.texts,
  };
}

function compile(
  sources: FlowSources,
  checked: ReadonlyMap<FlowSources, ReturnType<typeof checkMeaning>>,
  env: Environment,
): FlowPlan {
  const { names, root } = checked.get(sources)!;
  const plans = new Map<string, FlowPlan>();
  return compileFlow({
    sources,
    names,
    root: root!,
    env,
    subflow: (file) => {
      const known = plans.get(file);
      if (known !== undefined) return known;
      const plan = compile(sources.subflows.get(file)!, checked, env);
      plans.set(file, plan);
      return plan;
    },
  });
}

/** The model that the caller asked for has to be one of the main file. */
function unknownOverride(names: Names, model: string | undefined): Problem[] {
  if (model === undefined || names.models.has(model)) return [];
  const known = [...names.models.keys()];
  return [
    makeProblem(
      "E204",
      names.document.keyRange(["models"]),
      `The model "${model}" that was asked for is not in the file.`,
      { suggestion: nearestName(model, known), known },
    ),
  ];
}

/** Unused agents and unreachable nodes are echoes where a reference is broken: the misspelt name is their cause. */
function withoutEchoes(problems: readonly Problem[]): Problem[] {
  const broken = problems.some((problem) => problem.severity === "error" && problem.code !== "E226");
  return broken ? problems.filter((problem) => problem.code !== "W302" && problem.code !== "E226") : [...problems];
}
