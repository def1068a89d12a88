import { hashJson, Rng } from "@praxis/env";
import {
  type Bank,
  type BankSpecialist,
  type BankSplit,
  type BankTask,
  type Clarity,
  CUES,
  DESK_COUNT,
  DESK_SKILLS,
  mistakenName,
  type Requirement,
  type SectorWords,
  SHAPES,
  type Shape,
  SKILL_COUNT,
  type Skill,
  skillsOfDesk,
  TASK_CLASSES,
  type TaskClass,
} from "../../src/bank/bank.ts";

const DIM = 384;
const words = (stem: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${stem}${i}`);
const perName = <Name extends string>(names: readonly Name[], count: number) =>
  Object.fromEntries(names.map((name) => [name, words(name, count)])) as Record<Name, string[]>;

const SKILLS: readonly Skill[] = Array.from({ length: SKILL_COUNT }, (_, index) => ({
  index,
  name: `skill_${String.fromCharCode(97 + index)}`,
  phrases: words(`skill${String.fromCharCode(97 + index)}`, 10),
}));

const WORDS: SectorWords = {
  junior: words("junior", 4),
  mid: words("mid", 4),
  senior: words("senior", 4),
  marketing: words("marketing", 8),
  experimental: words("experimental", 4),
  urgent: words("urgent", 4),
  vague: words("vague", 4),
  classes: perName(TASK_CLASSES, 4),
  shapes: perName(SHAPES, 4),
  fillers: words("filler", 60),
  defaultAssumptions: "assume the usual",
  contradictions: [["sql", "nosql"]],
};

/** Sum of random unit vectors, one per word, normalised: what the expected figures were measured with. */
class WordVectors {
  readonly #words = new Map<string, Float32Array>();
  readonly #rng: Rng;

  constructor(seed: number) {
    this.#rng = Rng.fromSeed(seed, "words");
  }

  embed(text: readonly string[]): Float32Array {
    const sum = new Float32Array(DIM);
    for (const word of text)
      this.#word(word).forEach((x, i) => {
        sum[i] = sum[i]! + x;
      });
    const norm = Math.sqrt(sum.reduce((total, x) => total + x * x, 0)) || 1;
    return sum.map((x) => x / norm);
  }

  #word(word: string): Float32Array {
    let vector = this.#words.get(word);
    if (vector === undefined) {
      const rng = this.#rng.split(word);
      const raw = Float32Array.from({ length: DIM }, () => rng.normal());
      const norm = Math.sqrt(raw.reduce((total, x) => total + x * x, 0));
      vector = raw.map((x) => x / norm);
      this.#words.set(word, vector);
    }
    return vector;
  }
}

const some = (rng: Rng, list: readonly string[], count: number): string[] => rng.shuffled(list).slice(0, count);
const splitOf = (i: number): BankSplit => (i % 10 < 8 ? "train" : i % 10 === 8 ? "validation" : "test");

const DIFFICULTY: Readonly<Record<TaskClass, readonly [number, number]>> = {
  atomic: [0.1, 0.3],
  simple: [0.2, 0.45],
  moderate: [0.35, 0.6],
  complex: [0.5, 0.8],
  enterprise: [0.6, 0.9],
};
const SKILLS_NEEDED: Readonly<Record<TaskClass, readonly [number, number]>> = {
  atomic: [1, 1],
  simple: [1, 2],
  moderate: [2, 3],
  complex: [3, 3],
  enterprise: [3, 3],
};

/** Gamma(3) as a sum of three exponentials: Dirichlet(3) weights by normalising. */
const gamma3 = (rng: Rng): number => -Math.log((1 - rng.uniform()) * (1 - rng.uniform()) * (1 - rng.uniform()));

/**
 * A bank of random words with the distributions of the text bank. @param tasksPerDesk tasks of each desk
 */
export function makeWordBank({ seed = 1, tasksPerDesk = 240, specialists = 512 } = {}): Bank {
  const vectors = new WordVectors(seed);
  const rng = Rng.fromSeed(seed, "bank");
  const taskRows: Float32Array[] = [];
  const tasks: BankTask[] = [];
  const keep = (text: readonly string[]): number => taskRows.push(vectors.embed(text)) - 1;
  for (let desk = 0; desk < DESK_COUNT; desk++)
    for (let i = 0; i < tasksPerDesk; i++) {
      const name = TASK_CLASSES[i % 5]!;
      const [low, high] = SKILLS_NEEDED[name];
      const count = rng.integer(low, high);
      const u = rng.uniform();
      let clarity: Clarity = "complete";
      if (u < 0.25 && count >= 2) clarity = "hidden";
      else if (u >= 0.25 && u < 0.4) clarity = "mistaken";
      const need = skillsOfDesk(desk)[rng.integer(0, DESK_SKILLS - 1)]!;
      let skills = rng.shuffled(skillsOfDesk(desk)).slice(0, count);
      if (clarity !== "complete") skills = [need, ...skills.filter((skill) => skill !== need)].slice(0, count);
      const raw = skills.map(() => gamma3(rng));
      const total = raw.reduce((sum, x) => sum + x, 0);
      // The house need is the heaviest.
      const weights = raw.map((x) => x / total);
      if (clarity !== "complete") weights.sort((a, b) => b - a);
      const requirements = skills.map((skill, j): Requirement => {
        const isNeed = clarity !== "complete" && j === 0;
        const named = !isNeed ? skill : clarity === "hidden" ? null : mistakenName(desk, need);
        return { skill, weight: weights[j]!, named };
      });
      const shape: Shape =
        count >= 2
          ? SHAPES[rng.weightedIndex([20, 22, 18, 10, 10, 20])]!
          : SHAPES[rng.weightedIndex([0, 0, 0, 30, 30, 40])]!;
      const vague = rng.bernoulli(clarity === "complete" ? 0.15 : 0.85);
      const urgent = rng.bernoulli(0.35);
      const phrases = (skill: number, weight: number): string[] =>
        some(rng, SKILLS[skill]!.phrases.slice(0, 8), 2 + Math.round(3 * weight));
      const rest = [
        ...some(rng, WORDS.classes[name], 2),
        ...some(rng, WORDS.shapes[shape], 2),
        ...(urgent ? some(rng, WORDS.urgent, 2) : []),
        ...some(rng, WORDS.fillers, 5),
      ];
      const shown = requirements.flatMap(({ named, weight }) => (named === null ? [] : phrases(named, weight)));
      const text = [...shown, ...rest, ...(vague ? some(rng, WORDS.vague, 2) : [])];
      const row = keep(text);
      const clear = [...requirements.flatMap(({ skill, weight }) => phrases(skill, weight)), ...rest];
      const clarifiedRow = clarity === "complete" ? row : keep(clear);
      const [dLow, dHigh] = DIFFICULTY[name];
      tasks.push({
        row,
        text: text.join(" "),
        desk,
        class: name,
        shape,
        urgent,
        difficulty: dLow + (dHigh - dLow) * rng.uniform(),
        requirements,
        clarity,
        houseNeed: clarity === "complete" ? null : need,
        vague,
        clarifiedRow,
        clarifiedText: clarity === "complete" ? text.join(" ") : clear.join(" "),
        split: splitOf(Math.floor(i / 5)),
        handWritten: false,
      });
    }
  const specialistRows: Float32Array[] = [];
  const people = Array.from({ length: specialists }, (_, row): BankSpecialist => {
    const archetype = (["deep", "broad", "generalist", "overclaimer"] as const)[rng.weightedIndex([40, 22, 10, 28])]!;
    const count = { deep: rng.integer(1, 2), broad: rng.integer(3, 4), generalist: 12, overclaimer: rng.integer(3, 5) }[
      archetype
    ];
    const phrasesPerSkill = { deep: 5, broad: 3, generalist: 1, overclaimer: rng.bernoulli(0.5) ? 3 : 5 }[archetype];
    const [fast, slow] = {
      deep: [3500, 5000],
      broad: [3000, 4500],
      generalist: [1800, 2800],
      overclaimer: [3000, 5000],
    }[archetype] as [number, number];
    const claims = rng
      .shuffled(SKILLS.map(({ index }) => index))
      .slice(0, count)
      .sort((a, b) => a - b);
    const marketing = rng.bernoulli(archetype === "overclaimer" ? 0.6 : 0.15);
    const seniority = (["junior", "mid", "senior"] as const)[rng.weightedIndex([25, 45, 30])]!;
    const experimental = rng.bernoulli(0.2);
    const latencyMs = fast + (slow - fast) * rng.uniform();
    const text = [
      ...claims.flatMap((skill) => some(rng, SKILLS[skill]!.phrases.slice(0, 8), phrasesPerSkill)),
      ...(marketing ? some(rng, WORDS.marketing, 3) : []),
      ...some(rng, WORDS[seniority], 2),
      ...(experimental ? some(rng, WORDS.experimental, 2) : []),
      ...some(rng, WORDS.fillers, 3),
    ];
    specialistRows.push(vectors.embed(text));
    return {
      row,
      id: `specialist-${row}`,
      role: `Specialist ${row}`,
      text: text.join(" "),
      archetype,
      claims,
      phrasesPerSkill,
      seniority,
      experimental,
      marketing,
      latencyMs,
      cost: latencyMs / 4000,
      affinity: [TASK_CLASSES[rng.integer(0, 4)]!],
      fallbackTo: [],
      split: row % 8 < 6 ? "train" : row % 8 === 6 ? "validation" : "test",
      handWritten: false,
    };
  });
  const skillRows = SKILLS.map(({ phrases }) => vectors.embed(phrases.slice(0, 8)));
  const cueRows = Object.fromEntries(CUES.map((cue) => [cue, vectors.embed(WORDS[cue])]));
  return {
    sector: "random_words",
    tasks,
    specialists: people,
    skills: SKILLS,
    words: WORDS,
    hash: hashJson([tasks, people]).repeat(4),
    vectors: {
      dim: DIM,
      embedderId: "random-words",
      taskRow: (row) => taskRows[row]!,
      specialistRow: (row) => specialistRows[row]!,
      skill: (skill) => skillRows[skill]!,
      phrase: (skill, phrase) => vectors.embed([SKILLS[skill]!.phrases[phrase]!]),
      cue: (cue) => cueRows[cue]!,
    },
  };
}
