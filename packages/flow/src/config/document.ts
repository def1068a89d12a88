import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLError,
} from "yaml";
import { makeProblem, type Problem, type Range } from "./problem.ts";

/** A way from the top of a document: keys of maps and indices of lists. */
export type ConfigPath = readonly (string | number)[];

/** A YAML file with its data and the place of every key and value. */
export interface ConfigDocument {
  readonly file: string;
  readonly text: string;
  /** Plain data; aliases expanded. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Range of the value at `path`; of the nearest existing ancestor where it is absent. */
  valueRange(path: ConfigPath): Range;
  /** Range of the key (or the list item) at `path`. */
  keyRange(path: ConfigPath): Range;
  /** Range inside a one-line scalar, `from` and `to` counted in its text; of the whole scalar where it is folded or escaped. */
  insideRange(path: ConfigPath, from: number, to: number): Range;
  /** The value as it stands in the file, for messages about numbers and booleans; undefined for maps and lists. */
  sourceText(path: ConfigPath): string | undefined;
}

/** Result of reading one YAML text. */
export type DocumentResult =
  | { readonly document: ConfigDocument; readonly problems: readonly Problem[] }
  | { readonly document: null; readonly problems: readonly Problem[] };

const MAX_DEPTH = 64;
const MAX_ALIASES = 100;

/** Parses YAML 1.2 text into a map with positions; problems E103, E111 to E113 and E120. */
export function parseConfigDocument(file: string, text: string): DocumentResult {
  const counter = new LineCounter();
  const whole = (start: number, end: number): Range => rangeOf(file, counter, start, Math.max(end, start + 1));
  const fail = (problems: readonly Problem[]): DocumentResult => ({ document: null, problems });

  const deep = tooDeep(text);
  if (deep !== undefined) {
    fillCounter(counter, text);
    return fail([makeProblem("E111", whole(deep, deep + 1), `The text is nested deeper than ${MAX_DEPTH} levels.`)]);
  }
  const doc = parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false,
    version: "1.2",
    strict: true,
    uniqueKeys: true,
  });
  const syntax = syntaxProblems(file, text, counter, doc);
  if (syntax.length > 0) return fail(syntax);
  const root = doc.contents;
  if (root === null || (isScalar(root) && root.value === null))
    return fail([
      makeProblem(
        "E103",
        whole(0, 1),
        "The file is empty or holds only comments; begin with 'models:', 'agents:' and 'workflow:'.",
      ),
    ]);
  if (!isMap(root)) return fail([notAMap(root, text, whole)]);
  let data: Record<string, unknown>;
  try {
    data = doc.toJS({ maxAliasCount: MAX_ALIASES }) as Record<string, unknown>;
  } catch {
    const at = firstAlias(root) ?? root;
    const [start, end] = nodeRange(at);
    return fail([makeProblem("E113", whole(start, end), `Aliases expand to more than ${MAX_ALIASES} copies.`)]);
  }
  return { document: makeDocument(file, text, counter, doc, root, data), problems: [] };
}

function makeDocument(
  file: string,
  text: string,
  counter: LineCounter,
  doc: Document,
  root: Node,
  data: Record<string, unknown>,
): ConfigDocument {
  const range = (node: Node): Range => {
    const [start, end] = nodeRange(node);
    // A map or list is marked at its first line only: underlining all of it would point nowhere.
    if (isCollection(node)) return rangeOf(file, counter, start, Math.min(end, lineEnd(text, start)));
    return rangeOf(file, counter, start, Math.min(end, lineEnd(text, start)));
  };
  const step = (
    node: Node,
    key: string | number,
  ): { readonly key: Node | null; readonly value: Node | null } | undefined => {
    const here = isAlias(node) ? (node.resolve(doc) as Node | undefined) : node;
    if (isMap(here)) {
      for (const pair of here.items) {
        const name = isScalar(pair.key) ? String(pair.key.value) : undefined;
        if (name === String(key)) return { key: pair.key as Node, value: pair.value as Node | null };
      }
    } else if (isSeq(here)) {
      const item = here.items[Number(key)];
      if (item !== undefined && !isPair(item)) return { key: null, value: item as Node };
    }
    return undefined;
  };
  const find = (path: ConfigPath): { readonly key: Node | null; readonly value: Node; readonly complete: boolean } => {
    let key: Node | null = null;
    let value: Node = root;
    for (const name of path) {
      const next = step(value, name);
      if (next === undefined) return { key, value, complete: false };
      key = next.key;
      if (next.value === null) return { key, value: next.key ?? value, complete: true };
      value = next.value;
    }
    return { key, value, complete: true };
  };
  const firstKey = (node: Node): Node =>
    isMap(node) && node.items.length > 0 && !node.flow ? (node.items[0]!.key as Node) : node;
  return {
    file,
    text,
    data,
    valueRange(path) {
      const found = find(path);
      // An empty value has no text of its own: its key is marked.
      const [start, end] = nodeRange(found.value);
      if (start === end && found.key !== null) return range(found.key);
      return range(found.complete ? found.value : firstKey(found.value));
    },
    keyRange(path) {
      const found = find(path);
      if (!found.complete) return range(firstKey(found.value));
      return range(found.key ?? firstKey(found.value));
    },
    insideRange(path, from, to) {
      const { value } = find(path);
      const [start, end] = nodeRange(value);
      const source = text.slice(start, end);
      const plain = isScalar(value) && typeof value.value === "string" ? value.value : undefined;
      const shift = plain === undefined ? -1 : source.indexOf(plain);
      if (shift < 0 || source.includes("\n")) return range(value);
      return rangeOf(file, counter, start + shift + from, Math.max(start + shift + to, start + shift + from + 1));
    },
    sourceText(path) {
      const { value, complete } = find(path);
      if (!complete || !isScalar(value)) return undefined;
      const [start, end] = nodeRange(value);
      return text.slice(start, end).trim();
    },
  };
}

function nodeRange(node: Node): readonly [number, number] {
  return node.range === null || node.range === undefined ? [0, 1] : [node.range[0], node.range[1]];
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  const stop = end === -1 ? text.length : end;
  return stop > from && text[stop - 1] === "\r" ? stop - 1 : stop;
}

function rangeOf(file: string, counter: LineCounter, start: number, end: number): Range {
  const from = counter.linePos(start);
  const to = counter.linePos(end);
  return {
    file,
    line: Math.max(1, from.line),
    column: Math.max(1, from.col),
    endLine: Math.max(1, to.line),
    endColumn: Math.max(1, to.col),
  };
}

function fillCounter(counter: LineCounter, text: string): void {
  counter.addNewLine(0);
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) counter.addNewLine(at + 1);
}

/**
 * Offset where flow brackets or compact block lists nest too deeply. Looked at before parsing: the parser recurses and
 * would end in a stack overflow. Brackets inside quotes or comments are not counted.
 */
function tooDeep(text: string): number | undefined {
  let depth = 0;
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (quote !== "") {
      if (char === "\\" && quote === '"') i++;
      else if (char === quote) quote = "";
      continue;
    }
    const before = i === 0 ? "\n" : text[i - 1]!;
    if (char === "#" && /\s/.test(before)) {
      i = lineEnd(text, i) - 1;
      continue;
    }
    // A quote opens a string only where a value may begin; elsewhere it is an apostrophe.
    if ((char === '"' || char === "'") && /[\s[{,:(]/.test(before)) quote = char;
    else if (char === "[" || char === "{") depth++;
    else if ((char === "]" || char === "}") && depth > 0) depth--;
    if (char === "\n" && depth === 0 && compactDepth(text, i + 1) > MAX_DEPTH) return i + 1;
    if (depth > MAX_DEPTH) return i;
  }
  return compactDepth(text, 0) > MAX_DEPTH ? 0 : undefined;
}

/** How many levels a line opens by compact notation (`- - - a`) and by its indentation. */
function compactDepth(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const char = text[i]!;
    if (char === " ") continue;
    if ((char === "-" || char === "?") && text[i + 1] === " ") depth++;
    else break;
  }
  return depth;
}

const SYNTAX_TEXT: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: "A tab is used for indentation; YAML allows spaces only.",
  MULTILINE_IMPLICIT_KEY:
    "This line is neither a key with its value nor part of the text above; check indentation and ':'.",
  BAD_INDENT: "The indentation does not fit the lines above.",
  UNEXPECTED_TOKEN: "Something unexpected stands here; check indentation, quotes and brackets.",
};

function syntaxProblems(file: string, text: string, counter: LineCounter, doc: Document): Problem[] {
  const problems: Problem[] = [];
  const lines = new Set<number>();
  const faults: readonly YAMLError[] = [...doc.errors, ...doc.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  let broken = false;
  for (const fault of faults) {
    // Faults of indentation are reported in the blank before the text: the text is what a person sees.
    let from = fault.pos[0];
    while (text[from] === " " && from < lineEnd(text, from)) from++;
    const range = rangeOf(file, counter, from, Math.max(from + 1, lineEnd(text, from)));
    if (fault.code === "DUPLICATE_KEY") {
      problems.push(duplicateKey(file, text, fault, range));
      continue;
    }
    if (fault.code === "MULTIPLE_DOCS") {
      if (!broken)
        problems.push(makeProblem("E120", range, "The file holds several documents ('---'); one map is expected."));
      broken = true;
      continue;
    }
    // A broken line throws the parser off for what follows: later faults are echoes of the first.
    if (broken || lines.has(range.line)) continue;
    broken = true;
    lines.add(range.line);
    problems.push(makeProblem("E111", range, syntaxMessage(text, fault, range)));
  }
  return problems;
}

function syntaxMessage(text: string, fault: YAMLError, range: Range): string {
  const lines = text.split("\n");
  const line = lines[range.line - 1] ?? "";
  if (/^\s*\t/.test(line)) return SYNTAX_TEXT.TAB_AS_INDENT!;
  const tight =
    /^\s*(?:- )?([A-Za-z_][\w-]*):(?=[^\s:/])/.exec(line) ??
    /^\s*(?:- )?([A-Za-z_][\w-]*):(?=[^\s:/])/.exec(lines[range.line - 2] ?? "");
  if (tight !== null) return `A space is missing after '${tight[1]}:'.`;
  return `${SYNTAX_TEXT[fault.code] ?? "The text is not valid YAML."} (${fault.message.replace(/\s+/g, " ").replace(/\.$/, "")}.)`;
}

function duplicateKey(file: string, text: string, fault: YAMLError, range: Range): Problem {
  const key = /^["']?([^"':\s]+)/.exec(text.slice(fault.pos[0]))?.[1] ?? "";
  const indent = range.column - 1;
  const lines = text.split("\n");
  let first: Range | undefined;
  // Backwards over the lines of the same map: deeper lines are inside it, a shallower one is its end.
  for (let number = range.line - 1; number >= 1 && first === undefined; number--) {
    const line = lines[number - 1]!;
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const content = line.replace(/^(\s*)- /, "$1  ");
    const depth = content.length - content.trimStart().length;
    if (depth < indent) break;
    if (
      depth === indent &&
      new RegExp(`^\\s*["']?${key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}["']?\\s*:`).test(content)
    )
      first = { file, line: number, column: indent + 1, endLine: number, endColumn: indent + 1 + key.length };
  }
  const marked = { ...range, endLine: range.line, endColumn: range.column + Math.max(1, key.length) };
  return makeProblem(
    "E112",
    marked,
    `The key '${key}' stands twice in one map${first === undefined ? "" : ` (first on line ${first.line})`}.`,
    {
      related:
        first === undefined
          ? undefined
          : [{ file, line: first.line, column: first.column, message: "first used here" }],
    },
  );
}

function notAMap(root: Node, text: string, whole: (start: number, end: number) => Range): Problem {
  const [start, end] = nodeRange(root);
  const range = whole(start, Math.min(end, lineEnd(text, start)));
  const kind = isSeq(root) ? "a list" : "a single value";
  const tight =
    isScalar(root) && /^[A-Za-z_][\w-]*:\S/.test(String(root.value)) ? " A space is missing after ':'." : "";
  return makeProblem(
    "E120",
    range,
    `The document is ${kind}; a map with 'models', 'agents' and 'workflow' is expected.${tight}`,
  );
}

function firstAlias(node: Node): Node | undefined {
  if (isAlias(node)) return node;
  if (isMap(node)) {
    for (const pair of node.items) {
      const found =
        (pair.key === null ? undefined : firstAlias(pair.key as Node)) ??
        (pair.value === null ? undefined : firstAlias(pair.value as Node));
      if (found !== undefined) return found;
    }
  } else if (isSeq(node)) {
    for (const item of node.items) {
      const found = firstAlias(item as Node);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
