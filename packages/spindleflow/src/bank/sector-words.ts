import { z } from "zod";
import { CUES, SECTORS, type SectorWords, SHAPES, SKILL_COUNT, type Skill, TASK_CLASSES } from "./bank.ts";
import { cutFrame, type Frame } from "./phrasing.ts";
import { readYamlFile } from "./yaml-file.ts";

/** Phrases of a skill that texts of every split use; the rest occur in the split `test` only. */
export const TRAINING_PHRASES = 8;
/** Slots that every task frame has. */
const TASK_SLOTS = ["context", "work", "size", "shape", "notes"] as const;

const words = (count: number) => z.array(z.string().regex(/^\S.*\S$/)).length(count);
const list = z.array(z.string().min(2)).min(4);
const record = <Key extends string, Schema extends z.ZodType>(keys: readonly Key[], schema: Schema) =>
  z.strictObject(Object.fromEntries(keys.map((key) => [key, schema])) as Record<Key, Schema>);

const sharedSchema = z.strictObject({
  ...record(CUES, list).shape,
  classes: record(TASK_CLASSES, words(4)),
  shapes: record(SHAPES, words(4)),
});

const sectorSchema = z.strictObject({
  sector: z.enum(SECTORS),
  skills: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z_]+$/),
        phrases: z.array(z.string().regex(/^[a-z0-9-]+( [a-z0-9-]+)?$/)).length(10),
      }),
    )
    .length(SKILL_COUNT),
  fillers: words(60),
  defaultAssumptions: z.string().min(10),
  contradictions: z.array(z.tuple([z.string(), z.string()])).min(4),
  taskFrames: z.array(z.string()).length(40),
  specialistFrames: z.array(z.string()).min(8),
});

/** Everything that the grammar of one sector makes texts of. */
export interface SectorGrammar {
  readonly sector: string;
  readonly skills: readonly Skill[];
  readonly words: SectorWords;
  readonly taskFrames: readonly Frame[];
  readonly specialistFrames: readonly Frame[];
}

/** A file's name, for messages, and its text. */
export interface NamedText {
  readonly file: string;
  readonly text: string;
}

/**
 * The grammar of a sector from the words that all sectors share and its own. Throws INVALID_CONFIG with file and line for
 * wrong counts, phrases of more than two words, phrases that stand twice, frames without one of their slots.
 */
export function parseSectorGrammar(shared: NamedText, own: NamedText): SectorGrammar {
  const { skills, taskFrames, specialistFrames, sector, ...rest } = parseOwn(own);
  const common = readYamlFile(shared.file, shared.text, sharedSchema).value;
  return {
    sector,
    skills: skills.map(({ name, phrases }, index) => ({ index, name, phrases })),
    words: { ...common, ...rest },
    taskFrames: taskFrames.map(cutFrame),
    specialistFrames: specialistFrames.map(cutFrame),
  };
}

function parseOwn({ file, text }: NamedText): z.output<typeof sectorSchema> {
  const { value, problem, finish } = readYamlFile(file, text, sectorSchema);
  const seen = new Map<string, string>();
  value.skills.forEach(({ name, phrases }, i) => {
    phrases.forEach((phrase, j) => {
      const other = seen.get(phrase);
      if (other !== undefined) problem("E209", ["skills", i, "phrases", j], `'${phrase}' already names ${other}`);
      seen.set(phrase, name);
    });
  });
  for (const key of ["fillers", "taskFrames", "specialistFrames"] as const) {
    value[key].forEach((entry, i) => {
      if (value[key].indexOf(entry) < i) problem("E209", [key, i], `'${entry}' stands twice`);
    });
  }
  const wantSlots = (key: "taskFrames" | "specialistFrames", slots: readonly string[]): void => {
    value[key].forEach((frame, i) => {
      const found = [...frame.matchAll(/\{(\w+)\}/g)].map(([, slot]) => slot!.toLowerCase()).sort();
      if (found.join() !== [...slots].sort().join()) {
        problem("E208", [key, i], `a frame needs each of ${slots.join(", ")} once; this has ${found.join(", ")}`);
      }
    });
  };
  wantSlots("taskFrames", TASK_SLOTS);
  wantSlots("specialistFrames", ["seniority", "skills"]);
  finish();
  return value;
}
