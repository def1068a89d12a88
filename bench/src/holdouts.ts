import {
  brokenHoldouts,
  CATALOGUE,
  CourseEvaluator,
  DIFFICULTIES,
  loadBundledKnowledgeBase,
  SUB_ENVIRONMENT_TABLE,
} from "@praxis/polyguard";
import type { Measurement } from "./figures.ts";

const SCENARIOS = 20_000;

/** Draws 20,000 train scenarios over all tasks and tiers, and counts those that touch what is held out. */
export async function measureHoldouts(report: (measurement: Measurement) => void): Promise<void> {
  const kb = loadBundledKnowledgeBase();
  const evaluator = new CourseEvaluator(kb);
  const sorts = CATALOGUE.flatMap(({ task, subEnvironment }) => {
    const sub = SUB_ENVIRONMENT_TABLE[subEnvironment];
    // The mining task has neither a regimen nor hazard families.
    if (sub === undefined || task === "dangerous_combinations") return [];
    return DIFFICULTIES.map((difficulty) => ({ task, difficulty, sub }));
  });
  const broken: string[] = [];
  for (let i = 0; i < SCENARIOS; i++) {
    const { task, difficulty, sub } = sorts[i % sorts.length]!;
    const seed = Math.floor(i / sorts.length);
    const drawn = sub.draw({ kb, evaluator }, { task, difficulty, split: "train", seed });
    const holdouts = brokenHoldouts(kb, drawn.scenario);
    if (holdouts.length > 0) broken.push(`${drawn.scenario.id} (${holdouts.join(", ")})`);
  }
  report({
    id: "polyguard.holdouts",
    value: broken.length,
    unit: "violations",
    goal: "= 0",
    peer: null,
    n: SCENARIOS,
    interval: null,
    note: `${SCENARIOS} train scenarios over ${sorts.length} tasks and tiers${broken.length === 0 ? "" : `; first: ${broken.slice(0, 3).join("; ")}`}`,
  });
}
