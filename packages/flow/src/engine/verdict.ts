import { firstObject } from "./json-text.ts";

/** What a reviewer decided. */
export interface Verdict {
  readonly approved: boolean;
  /** By producer id; only those who must change something. */
  readonly feedback: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** Schema of a verdict, for native structured output. */
export const VERDICT_SCHEMA = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    feedback: { type: "object", additionalProperties: { type: "string" } },
    summary: { type: "string" },
  },
  required: ["approved", "feedback", "summary"],
} as const;

/** A producer as reviewers name it. */
export interface Producer {
  readonly id: string;
  /** Step id, agent id and role; any of them heads its feedback. */
  readonly names: readonly string[];
}

/**
 * Reads a review: a JSON object with `approved`, else the first line that is not empty. The keyword approves only there,
 * as a whole word at its beginning, in the case in which it is written in the file or in lower or upper case, and with no
 * negation before it; a keyword further down, or in a block of code, says nothing.
 */
export function parseVerdict(text: string, keyword: string, producers: readonly Producer[]): Verdict {
  const object = firstObject(text);
  if (object !== undefined && typeof object.approved === "boolean") return fromObject(object, producers);
  return { approved: approvesInText(text, keyword), feedback: feedbackSections(text, producers), summary: text.trim() };
}

function fromObject(object: Readonly<Record<string, unknown>>, producers: readonly Producer[]): Verdict {
  const feedback: Record<string, string> = {};
  const given =
    typeof object.feedback === "object" && object.feedback !== null && !Array.isArray(object.feedback)
      ? object.feedback
      : {};
  for (const [name, remark] of Object.entries(given)) {
    const producer = producers.find((candidate) => candidate.names.some((known) => sameName(known, name)));
    if (producer !== undefined && typeof remark === "string" && remark.trim() !== "")
      feedback[producer.id] = remark.trim();
  }
  return {
    approved: object.approved === true,
    feedback,
    summary: typeof object.summary === "string" ? object.summary : "",
  };
}

function approvesInText(text: string, keyword: string): boolean {
  const line = text.split(/\r?\n/).find((candidate) => candidate.trim() !== "");
  if (line === undefined || line.trimStart().startsWith("```")) return false;
  // Marks of emphasis, lists and headings around the keyword are form. A word or a cross before it is not: the keyword
  // must come first, so "NOT APPROVED" and "❌ APPROVED" never reach the comparison.
  const bare = line.trim().replace(/^(?:[#>*_`\s"'([-]|✅|✔\uFE0F?|☑\uFE0F?)+/u, "");
  if (findWord(bare, keyword) !== 0) return false;
  // "APPROVED? No." and "APPROVED: no" take the approval back on the same line.
  return !/^\s*(?:[?:,–—-]\s*)?(?:no\b|not\b|false\b|nein\b|pending\b|after\b|once\b|if\b|when\b|only if\b)|^\s*\?/i.test(
    bare.slice(keyword.length),
  );
}

/** Offset of a whole word, compared without case; −1 where there is none. */
function findWord(text: string, word: string): number {
  const haystack = text.toLowerCase();
  const needle = word.toLowerCase();
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + 1)) {
    const before = at === 0 ? "" : text[at - 1]!;
    const after = text[at + word.length] ?? "";
    if (!/[\p{L}\p{N}_]/u.test(before) && !/[\p{L}\p{N}_]/u.test(after)) return at;
  }
  return -1;
}

function sameName(a: string, b: string): boolean {
  const simple = (name: string): string =>
    name
      .trim()
      .toLowerCase()
      .replace(/[\s_-]+/g, " ");
  return simple(a) === simple(b);
}

/** Name in a heading line: `## name`, `**name**`, `**name:**`, `name:` alone on its line or before its text. */
function headingName(line: string): { readonly name: string; readonly rest: string } | undefined {
  const trimmed = line.trim();
  const marked = /^#{1,6}\s+(.+?)\s*:?\s*$/.exec(trimmed) ?? /^\*\*(.+?):?\*\*\s*:?\s*$/.exec(trimmed);
  if (marked !== null) return { name: marked[1]!.replace(/^\*\*|\*\*$/g, ""), rest: "" };
  const labelled = /^(?:[-*]\s+)?(?:\*\*)?([\p{L}\p{N} _.-]{1,80}?)(?:\*\*)?:(?:\*\*)?\s*(.*)$/u.exec(trimmed);
  return labelled === null ? undefined : { name: labelled[1]!, rest: labelled[2]! };
}

function feedbackSections(text: string, producers: readonly Producer[]): Record<string, string> {
  const feedback: Record<string, string[]> = {};
  let current: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const heading = headingName(line);
    const producer =
      heading === undefined
        ? undefined
        : producers.find((candidate) => candidate.names.some((name) => sameName(name, heading.name)));
    if (heading !== undefined && producer !== undefined) {
      current = producer.id;
      feedback[current] ??= [];
      if (heading.rest !== "") feedback[current]!.push(heading.rest);
    } else if (current !== undefined) feedback[current]!.push(line);
  }
  return Object.fromEntries(
    Object.entries(feedback)
      .map(([id, lines]) => [id, lines.join("\n").trim()] as const)
      .filter(([, remark]) => remark !== ""),
  );
}
