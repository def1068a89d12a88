import type { Rng } from "@praxis/env";
import {
  ARCHETYPES,
  type Archetype,
  type BankSpecialist,
  type BankSplit,
  SENIORITIES,
  type Seniority,
  SKILL_COUNT,
  type TaskClass,
} from "./bank.ts";
import { capitalised, draw, fillFrame, joinList } from "./phrasing.ts";
import { type SectorGrammar, TRAINING_PHRASES } from "./sector-words.ts";

/** 512 in all: 384 for training, 64 for validation, 64 for the zero-shot test, in each the same mix of archetypes (40, 22, 10, 28 %). */
const COUNTS: Readonly<Record<BankSplit, Readonly<Record<Archetype, number>>>> = {
  train: { deep: 154, broad: 84, generalist: 38, overclaimer: 108 },
  validation: { deep: 26, broad: 14, generalist: 6, overclaimer: 18 },
  test: { deep: 26, broad: 14, generalist: 6, overclaimer: 18 },
};
/** Fewest and most skills claimed, choices of phrases a skill, least and greatest latency in ms. */
const TRAITS: Readonly<
  Record<Archetype, { claims: [number, number]; phrases: number[]; latencyMs: [number, number] }>
> = {
  deep: { claims: [1, 2], phrases: [5], latencyMs: [3500, 5000] },
  broad: { claims: [3, 4], phrases: [3], latencyMs: [3000, 4500] },
  generalist: { claims: [SKILL_COUNT, SKILL_COUNT], phrases: [1], latencyMs: [1800, 2800] },
  overclaimer: { claims: [3, 5], phrases: [3, 5], latencyMs: [3000, 5000] },
};
const SENIORITY_WEIGHTS = [25, 45, 30] as const;
const MARKETING_SHARE = { overclaimer: 0.6, other: 0.15 } as const;
const EXPERIMENTAL_SHARE = 0.2;
/** Latency of a call that costs one unit, ms. */
const LATENCY_PER_COST = 4000;

/** Classes for which people of a seniority offer help. assumption: those whose difficulty fits their headroom. */
const AFFINITY: Readonly<Record<Seniority, readonly TaskClass[]>> = {
  junior: ["atomic", "simple"],
  mid: ["simple", "moderate", "complex"],
  senior: ["moderate", "complex", "enterprise"],
};

/** The specialists of a sector's bank, in a random order that depends on `rng` alone. Texts are all different. */
export function makeSpecialists(grammar: SectorGrammar, rng: Rng): BankSpecialist[] {
  const plans = (Object.keys(COUNTS) as BankSplit[]).flatMap((split) =>
    ARCHETYPES.flatMap((archetype) => Array.from({ length: COUNTS[split][archetype] }, () => ({ split, archetype }))),
  );
  const seen = new Set<string>();
  const texts = rng.split("texts");
  return rng
    .split("order")
    .shuffled(plans)
    .map(({ split, archetype }, row) => {
      for (let attempt = 0; ; attempt++) {
        const specialist = makeSpecialist(grammar, texts.split(`${row} ${attempt}`), { split, archetype, row });
        if (seen.has(specialist.text)) continue;
        seen.add(specialist.text);
        return specialist;
      }
    });
}

function makeSpecialist(
  { sector, skills, words, specialistFrames }: SectorGrammar,
  rng: Rng,
  { split, archetype, row }: { readonly split: BankSplit; readonly archetype: Archetype; readonly row: number },
): BankSpecialist {
  const traits = TRAITS[archetype];
  const claimed = draw(rng, skills, rng.integer(...traits.claims));
  const phrasesPerSkill = rng.choice(traits.phrases);
  const seniority = SENIORITIES[rng.weightedIndex(SENIORITY_WEIGHTS)]!;
  const marketing = rng.bernoulli(archetype === "overclaimer" ? MARKETING_SHARE.overclaimer : MARKETING_SHARE.other);
  const experimental = rng.bernoulli(EXPERIMENTAL_SHARE);
  // Tens of milliseconds: nobody knows them better.
  const latencyMs = 10 * rng.integer(traits.latencyMs[0] / 10, traits.latencyMs[1] / 10);

  const phrases = claimed.flatMap((skill) =>
    draw(rng, skill.phrases.slice(0, split === "test" ? undefined : TRAINING_PHRASES), phrasesPerSkill),
  );
  const text = fillFrame(rng.choice(specialistFrames), {
    skills: joinList(phrases),
    seniority: draw(rng, words[seniority], 2).join(", "),
  });
  const praise = marketing ? ` ${capitalised(joinList(draw(rng, words.marketing, 3)))}.` : "";
  const caution = experimental ? ` Still ${joinList(draw(rng, words.experimental, 2))}.` : "";
  const names = claimed.length === SKILL_COUNT ? ["everything"] : claimed.map(({ name }) => name.replaceAll("_", " "));
  return {
    row,
    id: `${sector}-${String(row).padStart(3, "0")}`,
    role: `${capitalised(seniority)} for ${joinList(names)}`,
    text: `${text}${praise}${caution}`,
    archetype,
    claims: claimed.map(({ index }) => index).sort((a, b) => a - b),
    phrasesPerSkill,
    seniority,
    experimental,
    marketing,
    latencyMs,
    cost: latencyMs / LATENCY_PER_COST,
    affinity: AFFINITY[seniority],
    fallbackTo: [],
    split,
    handWritten: false,
  };
}
