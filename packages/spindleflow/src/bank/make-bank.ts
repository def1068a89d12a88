import { createHash } from "node:crypto";
import { PraxisError, Rng } from "@praxis/env";
import type { Bank } from "./bank.ts";
import { type BankContents, DIM, layOutTexts, vectorsAt } from "./bank-texts.ts";
import { parseCatalog } from "./catalog.ts";
import { parseHandWrittenTasks } from "./hand-written-tasks.ts";
import { type NamedText, parseSectorGrammar } from "./sector-words.ts";
import { makeSpecialists } from "./specialist-grammar.ts";
import { makeTasks, TASK_TEXTS } from "./task-grammar.ts";

/** Seed of every bank; another one is another bank. */
const BANK_SEED = 1;

/** The files that a sector's bank is made of. */
export interface BankSources {
  /** Words that all sectors share. */
  readonly sharedWords: NamedText;
  readonly words: NamedText;
  readonly tasks: NamedText;
  readonly catalog: NamedText;
}

/** Makes vectors of length 1; the zero vector for a text without features. */
export interface BankEmbedder {
  readonly id: string;
  readonly dim: number;
  embed(text: string): Float32Array;
}

/** A bank without vectors. */
export interface BankText extends BankContents {
  readonly sector: string;
  /** SHA-256 of all texts, latent fields and word lists: what {@link Bank.hash} is. */
  readonly hash: string;
}

/**
 * Writes a sector's bank: 4,096 task texts and 512 specialists by the grammar, then the hand-written ones. The same sources
 * give the same bank on every machine. Throws INVALID_CONFIG with file and line.
 */
export function makeBankText({ sharedWords, words, tasks, catalog }: BankSources): BankText {
  const grammar = parseSectorGrammar(sharedWords, words);
  const rng = Rng.fromSeed(BANK_SEED, grammar.sector);
  const specialists = makeSpecialists(grammar, rng.split("specialists"));
  const handWritten = parseCatalog(catalog, grammar.skills).specialists.map(({ flowAgent: _, ...entry }, i) => ({
    ...entry,
    row: specialists.length + i,
    // Nobody trains on them: they are a company of their own.
    split: "test" as const,
    handWritten: true,
  }));
  const contents: BankContents = {
    tasks: [...makeTasks(grammar, rng.split("tasks")), ...parseHandWrittenTasks(tasks, grammar.skills, TASK_TEXTS)],
    specialists: [...specialists, ...handWritten],
    skills: grammar.skills,
    words: grammar.words,
  };
  const hash = createHash("sha256");
  for (const line of bankLines(contents)) hash.update(line).update("\n");
  return { sector: grammar.sector, ...contents, hash: hash.digest("hex") };
}

/** A bank as JSON lines, one a task, a specialist, a skill, and the words: what its hash is taken of, and for people. */
export function bankLines({ tasks, specialists, skills, words }: BankContents): string[] {
  // A clarified text that says no more than the text is left out: it would be half of the bytes.
  const shorter = tasks.map(({ clarifiedText, ...task }) =>
    clarifiedText === task.text ? task : { ...task, clarifiedText },
  );
  return [...shorter, ...specialists, ...skills, words].map((entry) => JSON.stringify(entry));
}

/** A bank whose vectors an embedder makes when first asked for: for tests, and for sectors without a vector file. */
export function makeBank(text: BankText, { embedder }: { readonly embedder: BankEmbedder }): Bank {
  if (embedder.dim !== DIM) {
    throw new PraxisError(
      "INVALID_CONFIG",
      `The embedder '${embedder.id}' makes ${embedder.dim} numbers; banks need ${DIM}.`,
    );
  }
  const table = layOutTexts(text);
  const texts = [...table.bank, ...table.extra];
  const vectors: Float32Array[] = [];
  return {
    ...text,
    vectors: vectorsAt(embedder.id, table, (place) => (vectors[place] ??= embedder.embed(texts[place]!))),
  };
}
