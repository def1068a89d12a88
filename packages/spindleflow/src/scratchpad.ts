import { sha256 } from "./audit/chain.ts";

/** Longest text of an entry, characters. */
const MAX_TEXT = 2000;
/** Entries kept; older ones are folded into one that names their ids. */
const MAX_ENTRIES = 20;

/** Who may read an entry beside its author. */
export type Visibility = "all" | "orchestrator" | readonly number[];
/** Who reads: a slot, or one of the two that see quarantined work. */
export type Reader = number | "orchestrator" | "mediator";

/** One piece of work in a task's scratchpad. Plain data. */
export interface ScratchpadEntry {
  readonly id: string;
  readonly authorSlot: number;
  readonly step: number;
  readonly kind: "output" | "synthesis" | "clarification" | "summary";
  readonly text: string;
  readonly visibility: Visibility;
  /** Injection patterns found in the text; two or more quarantine it: only author and mediator see it then. */
  readonly flags: readonly string[];
  readonly hash: string;
}

/** Patterns of texts that speak to the reader instead of doing the work. They are flagged, never silently removed. */
const PATTERNS: readonly { readonly flag: string; readonly severity: 1 | 2; readonly pattern: RegExp }[] = [
  {
    flag: "override",
    severity: 2,
    pattern:
      /\b(ignore|disregard|forget|override|bypass)\b.{0,40}\b(instructions?|rules?|prompts?|above|previous|system|guidelines?)\b/i,
  },
  { flag: "imperative", severity: 1, pattern: /\b(you must|you are now|act as|from now on|do not tell|pretend)\b/i },
  {
    flag: "roleMarker",
    severity: 2,
    pattern: /(^|\n)\s*(system|assistant|user|developer)\s*:|<\|?(im_start|system|assistant)/i,
  },
  { flag: "fence", severity: 2, pattern: /<\/?data-[0-9a-f]+|\[\/?INST\]|```\s*(system|prompt)/i },
  {
    flag: "toolCall",
    severity: 2,
    pattern:
      /"(tool|function|tool_calls?|name)"\s*:\s*[{["].{0,200}"(input|arguments|parameters)"|<(tool|function)_?calls?>/is,
  },
  {
    flag: "exfiltration",
    severity: 2,
    pattern:
      /\b(send|post|upload|forward|reveal|print|leak)\b.{0,60}\b(secrets?|keys?|passwords?|tokens?|credentials?|system prompt)\b/i,
  },
  { flag: "encoded", severity: 2, pattern: /[A-Za-z0-9+/]{200,}={0,2}/ },
  { flag: "credentialUrl", severity: 2, pattern: /\bhttps?:\/\/[^\s/:@]+:[^\s/@]+@/i },
];

/** Takes out control and zero-width characters, which hide text from people; keeps line breaks and tabs. */
function cleaned(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, (char) => (char === "\n" || char === "\t" ? char : ""))
    .slice(0, MAX_TEXT);
}

/** Flags of a text, and whether they are grave enough to keep it from other readers. */
export function inspectText(text: string): { readonly flags: readonly string[]; readonly isQuarantined: boolean } {
  const found = PATTERNS.filter(({ pattern }) => pattern.test(text));
  return { flags: found.map(({ flag }) => flag), isQuarantined: found.some(({ severity }) => severity >= 2) };
}

/** The scratchpad with one entry more; id and hash come from the content and the entry before. Nothing is changed in place. */
export function writeEntry(
  entries: readonly ScratchpadEntry[],
  draft: Pick<ScratchpadEntry, "authorSlot" | "step" | "kind" | "visibility"> & { readonly text: string },
): readonly ScratchpadEntry[] {
  const text = cleaned(draft.text);
  const { flags, isQuarantined } = inspectText(text);
  const visibility: Visibility = isQuarantined ? [draft.authorSlot] : draft.visibility;
  const content = { ...draft, text, visibility, flags };
  const hash = sha256((entries.at(-1)?.hash ?? "") + JSON.stringify(content));
  const grown = [...entries, { id: hash.slice(0, 12), ...content, hash }];
  if (grown.length <= MAX_ENTRIES) return grown;
  const [oldest, next, ...rest] = grown;
  const ids = [oldest!, next!].flatMap((entry) => (entry.kind === "summary" ? entry.text.split(" ") : [entry.id]));
  const summary: ScratchpadEntry = {
    ...next!,
    kind: "summary",
    text: ids.join(" "),
    visibility: "orchestrator",
    flags: [],
  };
  return [summary, ...rest];
}

function maySee(reader: Reader, { authorSlot, visibility, flags }: ScratchpadEntry): boolean {
  if (reader === authorSlot) return true;
  if (reader === "mediator") return visibility !== "orchestrator" || flags.length > 0;
  if (visibility === "all") return true;
  return visibility === "orchestrator"
    ? reader === "orchestrator"
    : typeof reader === "number" && visibility.includes(reader);
}

/** The newest entries that a reader may see, oldest first; never the whole store. */
export function readEntries(
  entries: readonly ScratchpadEntry[],
  reader: Reader,
  limit: number,
): readonly ScratchpadEntry[] {
  const visible = entries.filter((entry) => maySee(reader, entry));
  return limit <= 0 ? [] : visible.slice(-limit);
}

/**
 * An entry as data for a model: a JSON string inside a fence with the episode's random tag, which is escaped in the text.
 * @param tag hex digits drawn for the episode
 */
export function fenced({ authorSlot, step, text }: ScratchpadEntry, tag: string): string {
  const escaped = JSON.stringify(text).replaceAll("<", "\\u003c");
  return `<data-${tag} author="slot ${authorSlot}" step="${step}">${escaped}</data-${tag}>`;
}
