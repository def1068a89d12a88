// Writes packages/polyguard/scenarios/*.yaml: fixed scenarios of every task and tier, with a reading in words.
// Run after `npm run build`: node scripts/make-packs.mjs [task ...]. Entries that exist keep what is written in `reading`
// when the hazards of the scenario stay the same.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Document, parse, visit } from "yaml";
import {
  CATALOGUE,
  CourseEvaluator,
  DIFFICULTIES,
  familiesOf,
  loadBundledKnowledgeBase,
  NOTICE,
  packContent,
  packScenario,
  SUB_ENVIRONMENT_TABLE,
  scenarioDigest,
} from "../packages/polyguard/dist/index.js";
import { ADVICE, SUBSTITUTION_ADVICE, TASK_ADVICE } from "./pack-readings.mjs";

const PER_TIER = 10;
// Seeds of test_iid that nothing else of the project uses.
const FIRST_SEED = 209_500;
/** Tasks whose content is worked out from the scenario's id: the pack names what to draw, and what must come out. */
const DRAWN = ["dangerous_combinations", "precision_dosing", "missing_data", "new_drug"];

const folder = new URL("../packages/polyguard/scenarios/", import.meta.url);
const kb = loadBundledKnowledgeBase();
const evaluator = new CourseEvaluator(kb);
const nameOf = (index) => kb.drugs[index].genericName;

function patientInWords({ patient, initial }) {
  const { egfrMlPerMin } = initial.physiology;
  const who = patient.sex === "F" ? "woman" : "man";
  return `${patient.ageYears}-year-old ${who}, eGFR ${Math.round(egfrMlPerMin)}, frailty ${patient.frailtyCfs}, ${initial.medications.length} drugs`;
}

function hazardInWords(task, { family, drugIndexes, missing }) {
  const [{ title }] = familiesOf([family]);
  const drugs = drugIndexes.map(nameOf).join(" + ");
  const advice = (task === "safe_substitution" && SUBSTITUTION_ADVICE[family]) || ADVICE[family];
  const has = (...ids) => drugIndexes.some((index) => ids.includes(kb.drugs[index].drugId));
  const what = typeof advice === "function" ? advice(has) : advice;
  const gap = missing === null ? "" : `${missing.condition} without ${missing.options?.join(" or ") ?? "a drug"}`;
  return `${[drugs, gap].filter((each) => each !== "").join(", ")} (${title}): ${what}`;
}

function readingOf(task, { scenario, content }) {
  const { hazards } = scenario;
  if (task === "dangerous_combinations") {
    const { drugIds, patterns } = content;
    const [first] = patterns;
    const example = first.drugs.map((place) => drugIds[place]).join(" + ");
    return `${drugIds.length} drugs with ${patterns.length} hidden dangers, ${example} among them. ${TASK_ADVICE[task]}.`;
  }
  const wrong = hazards.map((hazard) => hazardInWords(task, hazard));
  const goal = scenario.goal.replace(/\.$/, "");
  const isRenal = task === "precision_dosing" && hazards.length > 0;
  const about = TASK_ADVICE[task] === undefined ? [] : isRenal ? [goal] : [goal, TASK_ADVICE[task]];
  const target = task === "safe_substitution" ? [scenario.goal.split(". ")[0]] : [];
  const unknown =
    task === "new_drug"
      ? [`${content.identity.name}, ${content.identity.classText}, for ${content.identity.indication}`]
      : [];
  return `${[patientInWords(scenario), ...target, ...unknown, ...wrong, ...about].join(". ")}.`;
}

function entryOf(task, difficulty, number) {
  const { subEnvironment } = CATALOGUE.find((each) => each.task === task);
  const seed = FIRST_SEED + number - 1;
  const drawn = SUB_ENVIRONMENT_TABLE[subEnvironment].draw(
    { kb, evaluator },
    { task, difficulty, split: "test_iid", seed },
  );
  const id = `pack/${task}/${difficulty}/${number}`;
  const reading = readingOf(task, drawn);
  if (DRAWN.includes(task))
    return { id, reading, drawn: { scenario_id: drawn.scenario.id, digest: scenarioDigest(kb, drawn.scenario) } };
  const content = drawn.content === null ? {} : { content: packContent(kb, drawn.content) };
  return { id, reading, scenario: packScenario(kb, { ...drawn.scenario, id }), ...content };
}

/** Block style down to the parts of a scenario, flow style inside them. */
function toYaml(pack) {
  const document = new Document(pack);
  visit(document, {
    Collection: (_key, node, path) => {
      if (path.length > 9 || (path.length > 7 && node.items.every((item) => (item.value ?? item)?.items === undefined)))
        node.flow = true;
    },
  });
  return document.toString({ lineWidth: 240, flowCollectionPadding: false });
}

const asked = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
for (const { task } of CATALOGUE) {
  if (asked.length > 0 && !asked.includes(task)) continue;
  const file = new URL(`${task}.yaml`, folder);
  const before = existsSync(file) ? parse(readFileSync(file, "utf8")).scenarios : [];
  const scenarios = DIFFICULTIES.flatMap((difficulty) =>
    Array.from({ length: PER_TIER }, (_, i) => entryOf(task, difficulty, i + 1)),
  ).map((entry) => {
    const old = before.find((each) => each.id === entry.id);
    const isSame =
      JSON.stringify(old?.scenario?.hazards ?? old?.drawn) === JSON.stringify(entry.scenario?.hazards ?? entry.drawn);
    return old !== undefined && isSame ? { ...entry, reading: old.reading } : entry;
  });
  writeFileSync(file, toYaml({ notice: NOTICE, task, scenarios }));
  console.log(`${task}: ${scenarios.length} scenarios`);
}
