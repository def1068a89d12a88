import {
  type Bank,
  type BankSpecialist,
  type BankTask,
  type BankVectors,
  CUES,
  type Cue,
  type SectorWords,
  type Skill,
} from "./bank.ts";
import { TRAINING_PHRASES } from "./sector-words.ts";

/** Everything of a bank that has a vector. */
export interface BankContents {
  readonly tasks: readonly BankTask[];
  readonly specialists: readonly BankSpecialist[];
  readonly skills: readonly Skill[];
  readonly words: SectorWords;
}

/** What vectors of a bank are looked up in: every text has one place in a table of rows. */
export interface TextTable {
  /** Texts of the grammar in bank order: tasks, their clarified versions, specialists. */
  readonly bank: readonly string[];
  /** Hand-written tasks, their clarified versions, hand-written specialists, skills, phrases, cues. */
  readonly extra: readonly string[];
  /** Places in `bank` followed by `extra`. */
  readonly place: {
    taskRow(row: number): number;
    specialistRow(row: number): number;
    skill(skill: number): number;
    phrase(skill: number, phrase: number): number;
    cue(cue: Cue): number;
  };
}

/** Lays out the texts of a bank. */
export function layOutTexts({ tasks, specialists, skills, words }: BankContents): TextTable {
  const taskTexts: string[] = [];
  const extraTasks: string[] = [];
  const generated = tasks.filter(({ handWritten }) => !handWritten);
  const count = Math.max(...generated.flatMap(({ row, clarifiedRow }) => [row, clarifiedRow])) + 1;
  for (const { row, text, clarifiedRow, clarifiedText, handWritten } of tasks) {
    const [texts, start] = handWritten ? [extraTasks, count] : [taskTexts, 0];
    texts[row - start] = text;
    texts[clarifiedRow - start] = clarifiedText;
  }
  const people = specialists.filter(({ handWritten }) => !handWritten).map(({ text }) => text);
  const extraPeople = specialists.filter(({ handWritten }) => handWritten).map(({ text }) => text);
  const phrases = skills.flatMap((skill) => skill.phrases);
  const bank = [...taskTexts, ...people];
  const firstPerson = bank.length + extraTasks.length;
  const firstSkill = firstPerson + extraPeople.length;
  const firstPhrase = firstSkill + skills.length;
  const phrasesPerSkill = phrases.length / skills.length;
  return {
    bank,
    extra: [
      ...extraTasks,
      ...extraPeople,
      ...skills.map((skill) => skill.phrases.slice(0, TRAINING_PHRASES).join(", ")),
      ...phrases,
      ...CUES.map((cue) => words[cue].join(", ")),
    ],
    place: {
      taskRow: (row) => (row < count ? row : bank.length + row - count),
      specialistRow: (row) => (row < people.length ? count + row : firstPerson + row - people.length),
      skill: (skill) => firstSkill + skill,
      phrase: (skill, phrase) => firstPhrase + skill * phrasesPerSkill + phrase,
      cue: (cue) => firstPhrase + phrases.length + CUES.indexOf(cue),
    },
  };
}

/** Numbers of a vector. */
export const DIM = 384;

/** The vectors of a bank by a look-up of places. */
export function vectorsAt(
  embedderId: string,
  { place }: TextTable,
  at: (place: number) => Float32Array,
): Bank["vectors"] {
  return {
    dim: DIM,
    embedderId,
    taskRow: (row) => at(place.taskRow(row)),
    specialistRow: (row) => at(place.specialistRow(row)),
    skill: (skill) => at(place.skill(skill)),
    phrase: (skill, phrase) => at(place.phrase(skill, phrase)),
    cue: (cue) => at(place.cue(cue)),
  } satisfies BankVectors;
}
