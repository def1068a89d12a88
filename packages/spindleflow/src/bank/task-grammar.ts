import type { Rng } from "@praxis/env";
import {
  type BankSplit,
  type BankTask,
  type Clarity,
  DESK_COUNT,
  mistakenName,
  type Requirement,
  SHAPES,
  skillsOfDesk,
  TASK_CLASSES,
  type TaskClass,
} from "./bank.ts";
import { draw, fillFrame, joinList } from "./phrasing.ts";
import { type SectorGrammar, TRAINING_PHRASES } from "./sector-words.ts";

/** Task texts of a sector, clarified versions included. */
export const TASK_TEXTS = 4096;

/** Least and greatest difficulty of each class. */
export const DIFFICULTY: Readonly<Record<TaskClass, readonly [number, number]>> = {
  atomic: [0.1, 0.3],
  simple: [0.2, 0.45],
  moderate: [0.35, 0.6],
  complex: [0.5, 0.8],
  enterprise: [0.6, 0.9],
};
const URGENT_SHARE = 0.35;
/** Share of texts with words of vagueness, among unclear and among clear ones. */
const VAGUE_SHARE = { unclear: 0.85, clear: 0.15 } as const;
/** In the order of {@link SHAPES}; a single need has no parts to arrange. */
const SHAPE_WEIGHTS = { several: [20, 22, 18, 10, 10, 20], single: [0, 0, 0, 30, 30, 40] } as const;
const FILLERS = { context: 3, notes: 2 } as const;

/** What is settled of a task before its text is drawn. */
interface Plan {
  readonly desk: number;
  readonly class: TaskClass;
  readonly skillCount: number;
  readonly clarity: Clarity;
  readonly houseNeed: number | null;
}

/**
 * Tasks a desk, class by class: complete ones, and for each of its three skills as house need those that hide or misname it.
 * assumption: unclear tasks are more frequent than in a shift (40 %), so that each kind has several texts to draw from; the
 * environment draws the kind first. A single need can't be hidden. Texts and their clarified versions are 341 a desk, and one
 * more for the first four desks: 4,096.
 */
function makePlans(): Plan[] {
  const plans: Plan[] = [];
  const counts: Readonly<Record<TaskClass, { complete: number; hidden: number; mistaken: number }>> = {
    atomic: { complete: 29, hidden: 0, mistaken: 5 },
    simple: { complete: 30, hidden: 3, mistaken: 3 },
    moderate: { complete: 24, hidden: 5, mistaken: 3 },
    complex: { complete: 24, hidden: 5, mistaken: 3 },
    enterprise: { complete: 24, hidden: 5, mistaken: 3 },
  };
  for (let desk = 0; desk < DESK_COUNT; desk++) {
    for (const name of TASK_CLASSES) {
      const { complete, hidden, mistaken } = counts[name];
      const add = (clarity: Clarity, houseNeed: number | null, count: number): void => {
        for (let i = 0; i < count; i++) {
          plans.push({ desk, class: name, skillCount: skillCountOf(name, clarity, i), clarity, houseNeed });
        }
      };
      add("complete", null, complete + (name === "atomic" && desk < 4 ? 1 : 0));
      for (const need of skillsOfDesk(desk)) {
        add("hidden", need, hidden);
        add("mistaken", need, mistaken);
      }
    }
  }
  return plans;
}

/** Needs of the i-th task of a kind: the lower half of classes alternates. */
function skillCountOf(name: TaskClass, clarity: Clarity, i: number): number {
  switch (name) {
    case "atomic":
      return 1;
    case "simple":
      return clarity === "hidden" ? 2 : 1 + (i % 2);
    case "moderate":
      return 2 + (i % 2);
    case "complex":
    case "enterprise":
      return 3;
  }
}

/**
 * Splits 80 : 10 : 10, drawn within each kind (desk, clarity, house need; for complete tasks also class), so that every split
 * knows every kind.
 */
function assignSplits(rng: Rng, plans: readonly Plan[]): BankSplit[] {
  const kinds = new Map<string, number[]>();
  plans.forEach(({ desk, clarity, houseNeed, class: name }, i) => {
    const key = `${desk} ${clarity} ${clarity === "complete" ? name : houseNeed}`;
    kinds.set(key, [...(kinds.get(key) ?? []), i]);
  });
  const splits: BankSplit[] = plans.map(() => "train");
  for (const [key, members] of kinds) {
    const held = Math.round(members.length / 10);
    rng
      .split(key)
      .shuffled(members)
      .slice(0, 2 * held)
      .forEach((i, k) => {
        splits[i] = k < held ? "validation" : "test";
      });
  }
  return splits;
}

/** The tasks of a sector's bank, text and truth, in a random order that depends on `rng` alone. Texts are all different. */
export function makeTasks(grammar: SectorGrammar, rng: Rng): BankTask[] {
  const plans = rng.split("order").shuffled(makePlans());
  const splits = assignSplits(rng.split("splits"), plans);
  const seen = new Set<string>();
  let clarifiedRow = plans.length;
  const texts = rng.split("texts");
  return plans.map((plan, row): BankTask => {
    for (let attempt = 0; ; attempt++) {
      const task = makeTask(grammar, texts.split(`${row} ${attempt}`), plan, splits[row]!);
      // Chance makes equal texts too rare to matter; a bank must have none.
      if (seen.has(task.text) || seen.has(task.clarifiedText)) continue;
      seen.add(task.text).add(task.clarifiedText);
      return { ...task, row, clarifiedRow: plan.clarity === "complete" ? row : clarifiedRow++ };
    }
  });
}

/** One stream a task, drawn from in a fixed order: what is said twice is drawn once. */
function makeTask(
  grammar: SectorGrammar,
  rng: Rng,
  plan: Plan,
  split: BankSplit,
): Omit<BankTask, "row" | "clarifiedRow"> {
  const { desk, clarity, houseNeed, class: name } = plan;
  const [low, high] = DIFFICULTY[name];
  const difficulty = Math.round(1000 * (low + (high - low) * rng.uniform())) / 1000;
  const shapeWeights = plan.skillCount > 1 ? SHAPE_WEIGHTS.several : SHAPE_WEIGHTS.single;
  const shape = SHAPES[rng.weightedIndex(shapeWeights)]!;
  const urgent = rng.bernoulli(URGENT_SHARE);
  const vague = rng.bernoulli(clarity === "complete" ? VAGUE_SHARE.clear : VAGUE_SHARE.unclear);
  const requirements = makeRequirements(rng, plan);
  const write = makeWriter(grammar, rng, { class: name, shape, urgent });
  const say = (skill: number, weight: number): string[] => {
    const { phrases } = grammar.skills[skill]!;
    return draw(rng, phrases.slice(0, split === "test" ? undefined : TRAINING_PHRASES), 2 + Math.round(3 * weight));
  };
  const plain = requirements.map(({ skill, weight }) => say(skill, weight));
  const said = requirements.map(({ skill, named, weight }, i) => {
    if (named === null) return [];
    return named === skill ? plain[i]! : say(named, weight);
  });
  const text = write(said.flat(), vague);
  return {
    text,
    desk,
    class: name,
    shape,
    urgent,
    difficulty,
    requirements,
    clarity,
    houseNeed,
    vague,
    clarifiedText: clarity === "complete" ? text : write(plain.flat(), false),
    split,
    handWritten: false,
  };
}

/** Weights Dirichlet(3) in thousandths; the heaviest is the house need's when the text hides or misnames it. */
function makeRequirements(rng: Rng, { desk, skillCount, clarity, houseNeed }: Plan): Requirement[] {
  const others = rng.shuffled(skillsOfDesk(desk).filter((skill) => skill !== houseNeed));
  const skills = rng.shuffled(
    houseNeed === null ? others.slice(0, skillCount) : [houseNeed, ...others.slice(0, skillCount - 1)],
  );
  // Gamma(3) is a sum of three exponentials.
  const parts = skills.map(() => -Math.log((1 - rng.uniform()) * (1 - rng.uniform()) * (1 - rng.uniform())));
  const total = parts.reduce((sum, part) => sum + part, 0);
  const thousandths = parts.map((part) => Math.max(1, Math.round((1000 * part) / total)));
  const heaviest = thousandths.indexOf(Math.max(...thousandths));
  thousandths[heaviest]! += 1000 - thousandths.reduce((sum, part) => sum + part, 0);
  if (houseNeed !== null) {
    const need = skills.indexOf(houseNeed);
    [thousandths[need], thousandths[heaviest]] = [thousandths[heaviest]!, thousandths[need]!];
  }
  return skills.map((skill, i) => {
    const named = skill !== houseNeed ? skill : clarity === "hidden" ? null : mistakenName(desk, skill);
    return { skill, weight: thousandths[i]! / 1000, named };
  });
}

/** Writes a task's text around what its requester asks for. Two versions of one task differ only in that and in vagueness. */
function makeWriter(
  { words, taskFrames }: SectorGrammar,
  rng: Rng,
  { class: name, shape, urgent }: Pick<BankTask, "class" | "shape" | "urgent">,
): (work: readonly string[], vague: boolean) => string {
  const frame = rng.choice(taskFrames);
  const fillers = draw(rng, words.fillers, FILLERS.context + FILLERS.notes);
  const slots = {
    context: joinList(fillers.slice(0, FILLERS.context)),
    notes: joinList(fillers.slice(FILLERS.context)),
    size: joinList(draw(rng, words.classes[name], 2)),
    shape: joinList(draw(rng, words.shapes[shape], 2)),
  };
  const hurry = urgent ? ` Timing: ${draw(rng, words.urgent, 2).join(", ")}.` : "";
  const doubt = draw(rng, words.vague, 2).join(", ");
  return (work, vague) => {
    const text = fillFrame(frame, { ...slots, work: joinList(work) });
    return `${text}${hurry}${vague ? ` And ${doubt}.` : ""}`;
  };
}
