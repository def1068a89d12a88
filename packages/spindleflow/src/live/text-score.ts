/** Longest text that is judged; both sides are cut to it, so that length alone wins nothing. */
const MAX_LENGTH = 4000;
/** Shortest text that counts as an answer's length. */
const MIN_LENGTH = 100;
/** Share of the task's runs of four words from which on a text is a copy of it. */
const COPY_SHARE = 0.4;
/** Letters from which on a word of a task counts as a requirement, where nobody has annotated any. `assumption:` */
const REQUIREMENT_LETTERS = 5;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function runsOfFour(words: readonly string[]): Set<string> {
  const runs = new Set<string>();
  for (let i = 0; i + 3 < words.length; i++) runs.add(words.slice(i, i + 4).join(" "));
  return runs;
}

/** Phrases that an answer to a foreign text should touch on: its longer words, each once. */
export function requirementPhrases(task: string): readonly string[] {
  return [...new Set(wordsOf(task).filter((word) => word.length >= REQUIREMENT_LETTERS))];
}

/**
 * Tier 0 on text, 0 … 1, deterministic and without a model: 0.2 not empty, 0.2 length in 100 – 4,000 characters, 0.3 recall of the
 * requirement phrases, 0.15 structure (heading, list or code), 0.15 not a copy of the task. Raw: no calibration set of
 * judged texts exists for it, so it orders texts, and means nothing beside scores of another tier.
 */
export function scoreText(task: string, given: string, phrases = requirementPhrases(task)): number {
  const text = given.slice(0, MAX_LENGTH).trim();
  if (text === "") return 0;
  const lower = ` ${wordsOf(text).join(" ")} `;
  const found = phrases.filter((phrase) => lower.includes(` ${wordsOf(phrase).join(" ")} `)).length;
  const taskRuns = runsOfFour(wordsOf(task));
  const shared = [...runsOfFour(wordsOf(text))].filter((run) => taskRuns.has(run)).length;
  const isCopy = taskRuns.size > 0 && shared / taskRuns.size >= COPY_SHARE;
  const hasStructure = /^(#{1,6} |[-*] |\d+\. |```)/m.test(text);
  return (
    0.2 +
    (given.trim().length >= MIN_LENGTH && given.length <= MAX_LENGTH ? 0.2 : 0) +
    0.3 * (phrases.length === 0 ? 1 : found / phrases.length) +
    (hasStructure ? 0.15 : 0) +
    (isCopy ? 0 : 0.15)
  );
}
