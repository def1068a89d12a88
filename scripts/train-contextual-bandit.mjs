// Trains the contextual bandit that ships as policy `contextual_bandit`: LinUCB with alpha 1, 5,000 episodes by default.
// node scripts/train-contextual-bandit.mjs [EPISODES] [OUT]. Build first. The same call writes the same bytes.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Rng } from "@praxis/env";
import {
  ARM_ROWS_VERSION,
  FEATURES_VERSION,
  loadBundledKnowledgeBase,
  loadPolyGuard,
  makeLinUcb,
  trainArms,
} from "@praxis/polyguard";

const ALPHA = 1;
const SUB_ENVIRONMENTS = [
  "DDI",
  "REGIMEN_RISK",
  "PRECISION_DOSING",
  "LONGITUDINAL_DEPRESCRIBING",
  "WEB_SEARCH_MISSING_DATA",
  "ALTERNATIVE_SUGGESTION",
];
/** Weights are kept to this many decimals. */
const DECIMALS = 5;

const episodes = Number(process.argv[2] ?? 5000);
const path =
  process.argv[3] ?? fileURLToPath(new URL("../packages/polyguard/data/contextual-bandit.json", import.meta.url));

const kb = loadBundledKnowledgeBase();
const env = loadPolyGuard().makeEnv();
const rng = Rng.fromSeed(1, "contextual-bandit");
const learner = makeLinUcb(ALPHA, rng.split("learner"));
const scale = 10 ** DECIMALS;
const begun = Date.now();
const gains = new Map(SUB_ENVIRONMENTS.map((name) => [name, []]));
let steps = 0;

function write(done) {
  const document = {
    version: ARM_ROWS_VERSION,
    features: FEATURES_VERSION,
    algorithm: `LinUCB, alpha ${ALPHA}`,
    episodes: done,
    sub_environments: SUB_ENVIRONMENTS,
    weights: Array.from(learner.weights(), (weight) => Math.round(weight * scale) / scale),
  };
  writeFileSync(path, `${JSON.stringify(document)}\n`);
}

for (const each of trainArms({
  kb,
  env,
  learner,
  subEnvironments: SUB_ENVIRONMENTS,
  episodes,
  rng: rng.split("play"),
})) {
  gains.get(each.subEnvironment).push(each.meanGain);
  steps += each.steps;
  if ((each.episode + 1) % 600 === 0) {
    // A run that is cut short leaves what it has learned.
    write(each.episode + 1);
    const latest = SUB_ENVIRONMENTS.map((name) => {
      const last = gains.get(name).slice(-100);
      return `${name} ${(last.reduce((sum, gain) => sum + gain, 0) / last.length).toFixed(3)}`;
    });
    console.error(
      `${each.episode + 1} episodes, ${steps} steps, ${Math.round((Date.now() - begun) / 1000)} s: ${latest.join(", ")}`,
    );
  }
}
write(episodes);
console.error(`wrote ${path}`);
