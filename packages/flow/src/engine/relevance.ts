/** Words that carry no subject. */
const STOP_WORDS = new Set(
  "a an and are as at be been but by can do does for from had has have how i if in into is it its of on or our s so such t than that the their them then there these they this to was we were what when where which who will with you your not no all any each more most other some only own same too very just also about after before between during through over under again once here why did done should would could may might must shall up down out off per via".split(
    " ",
  ),
);

/** Lower-case words of a text, in order. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Words of a text that carry its subject, each once. */
export function contentWords(text: string): string[] {
  return [
    ...new Set(wordsOf(text).filter((word) => !STOP_WORDS.has(word) && (word.length > 1 || /\p{N}/u.test(word)))),
  ];
}

/** Share of `wanted` words that occur in the text; 0 for none wanted. */
export function keywordOverlap(wanted: readonly string[], text: string): number {
  return shareOf(wanted, new Set(wordsOf(text)));
}

/** Share of `wanted` words that are among others; 0 for none wanted. */
export function shareOf(wanted: readonly string[], have: ReadonlySet<string>): number {
  return wanted.length === 0 ? 0 : wanted.filter((word) => have.has(word)).length / wanted.length;
}

/** Cosine of two vectors; 0 where one is zero. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!;
    const y = b[i] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}

/** Whether a phrase occurs in the text as whole words, without regard to case. */
export function containsPhrase(text: string, phrase: string): boolean {
  return ` ${wordsOf(text).join(" ")} `.includes(` ${wordsOf(phrase).join(" ")} `) && wordsOf(phrase).length > 0;
}

/** Sentences of a text. */
function sentences(paragraph: string): string[] {
  return (
    paragraph
      .match(/[^.!?\n]+[.!?]*/g)
      ?.map((sentence) => sentence.trim())
      .filter((sentence) => sentence !== "") ?? []
  );
}

/**
 * Extract without a model: the first sentence of each paragraph, of these the `count` highest by TF-IDF over the
 * paragraphs, in the order of the text.
 */
export function extractSentences(text: string, count = 5): string[] {
  const paragraphs = text
    .split(/\n\s*\n|\n(?=[-*#]|\d+\.)/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "");
  const bags = paragraphs.map((paragraph) => wordsOf(paragraph));
  const documents = new Map<string, number>();
  for (const bag of bags) for (const word of new Set(bag)) documents.set(word, (documents.get(word) ?? 0) + 1);
  const scored = paragraphs.flatMap((paragraph, i) => {
    const first = sentences(paragraph)[0]?.slice(0, 400);
    if (first === undefined) return [];
    const words = contentWords(first);
    const score = words.reduce(
      (sum, word) =>
        sum +
        bags[i]!.filter((other) => other === word).length *
          Math.log(1 + paragraphs.length / (documents.get(word) ?? 1)),
      0,
    );
    return [{ first, score: words.length === 0 ? 0 : score / Math.sqrt(words.length), i }];
  });
  return scored
    .sort((a, b) => b.score - a.score || a.i - b.i)
    .slice(0, count)
    .sort((a, b) => a.i - b.i)
    .map((entry) => entry.first);
}
