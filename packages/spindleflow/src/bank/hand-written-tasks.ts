import { didYouMean } from "@praxis/env";
import { z } from "zod";
import {
  type BankSplit,
  type BankTask,
  DESK_COUNT,
  type Requirement,
  SHAPES,
  type Skill,
  skillsOfDesk,
  TASK_CLASSES,
} from "./bank.ts";
import type { NamedText } from "./sector-words.ts";
import { DIFFICULTY } from "./task-grammar.ts";
import { readYamlFile } from "./yaml-file.ts";

/** Hand-written tasks of each desk. */
const PER_DESK = 5;

const tasksSchema = z.strictObject({
  tasks: z
    .array(
      z.strictObject({
        class: z.enum(TASK_CLASSES),
        shape: z.enum(SHAPES),
        urgent: z.boolean().default(false),
        vague: z.boolean().optional(),
        needs: z.record(z.string(), z.number().gt(0).max(1)),
        hides: z.string().optional(),
        after: z.string().optional(),
        text: z.string().trim().min(10),
      }),
    )
    .length(DESK_COUNT * PER_DESK),
});

/**
 * Reads a sector's hand-written tasks: five a desk, in the order of desks. `needs` are shares of the work by skill; `hides`
 * names the heaviest need that the text is silent about, `after` what the requester adds when asked (such a text counts as
 * vague). Difficulty is the middle of the class. Every tenth is for validation, every tenth for tests. Rows count from `row`;
 * clarified texts come after all tasks. Throws INVALID_CONFIG with file and line.
 */
export function parseHandWrittenTasks({ file, text }: NamedText, skills: readonly Skill[], row: number): BankTask[] {
  const { value, problem, finish } = readYamlFile(file, text, tasksSchema);
  const names = skills.map(({ name }) => name);
  let clarifiedRow = row + value.tasks.length;
  const tasks = value.tasks.map((entry, i): BankTask => {
    const desk = Math.floor(i / PER_DESK);
    const at = ["tasks", i] as const;
    const requirements = Object.entries(entry.needs).map(([name, weight]): Requirement => {
      const skill = names.indexOf(name);
      if (skill < 0)
        problem("E251", [...at, "needs", name], `'${name}' is no skill of the sector.${didYouMean(name, names)}`);
      else if (!skillsOfDesk(desk).includes(skill)) {
        problem(
          "E208",
          [...at, "needs", name],
          `'${name}' is no skill of desk ${desk}, to which task ${i + 1} belongs`,
        );
      }
      return { skill, weight, named: name === entry.hides ? null : skill };
    });
    const sum = requirements.reduce((total, { weight }) => total + weight, 0);
    if (Math.abs(sum - 1) > 1e-9) problem("E208", [...at, "needs"], `the shares of a task sum to 1, not ${sum}`);
    const hidden = requirements.find(({ named }) => named === null);
    if (
      (entry.hides === undefined) !== (entry.after === undefined) ||
      (entry.hides !== undefined && hidden === undefined)
    ) {
      problem("E208", [...at, "hides"], "'hides' names one of the needs, and 'after' what is said about it when asked");
    }
    if (hidden !== undefined && requirements.some((other) => other !== hidden && other.weight >= hidden.weight)) {
      problem("E208", [...at, "hides"], `'${entry.hides}' is not the heaviest need`);
    }
    const [low, high] = DIFFICULTY[entry.class];
    return {
      row: row + i,
      text: entry.text,
      desk,
      class: entry.class,
      shape: entry.shape,
      urgent: entry.urgent,
      difficulty: Math.round(500 * (low + high)) / 1000,
      requirements,
      clarity: hidden === undefined ? "complete" : "hidden",
      houseNeed: hidden?.skill ?? null,
      vague: entry.vague ?? hidden !== undefined,
      clarifiedRow: hidden === undefined ? row + i : clarifiedRow++,
      clarifiedText: entry.after === undefined ? entry.text : `${entry.text} ${entry.after}`,
      split: splitOf(i),
      handWritten: true,
    };
  });
  finish();
  return tasks;
}

function splitOf(i: number): BankSplit {
  // Steps of seven walk through all classes and desks, as tens do not.
  switch ((7 * i) % 10) {
    case 3:
      return "validation";
    case 8:
      return "test";
    default:
      return "train";
  }
}
