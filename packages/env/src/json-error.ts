/** Deepest nesting that is looked into. */
const MAX_DEPTH = 512;

/** Where text stops being JSON, in the words of Python's parser, which OpenEnv clients know. */
export function findJsonError(text: string): { readonly offset: number; readonly reason: string } {
  try {
    const end = skipSpace(text, readValue(text, skipSpace(text, 0), 0));
    if (end < text.length) return { offset: end, reason: "Extra data" };
  } catch (error) {
    if (error instanceof JsonFault) return { offset: error.offset, reason: error.message };
    throw error;
  }
  return { offset: 0, reason: "Expecting value" };
}

class JsonFault extends Error {
  readonly offset: number;

  constructor(offset: number, reason: string) {
    super(reason);
    this.offset = offset;
  }
}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

function readValue(text: string, at: number, depth: number): number {
  // What is nested deeper is refused anyway, so its exact fault does not matter.
  if (depth > MAX_DEPTH) throw new JsonFault(at, "Nested too deep");
  const first = text[at];
  if (first === '"') return readString(text, at);
  if (first === "{") return readObject(text, at, depth);
  if (first === "[") return readArray(text, at, depth);
  SCALAR.lastIndex = at;
  if (!SCALAR.test(text)) throw new JsonFault(at, "Expecting value");
  return SCALAR.lastIndex;
}

function readString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) return i + 1;
    if (code < 0x20) throw new JsonFault(i, "Invalid control character at");
    if (code !== 0x5c) continue;
    const escaped = text[++i];
    if (escaped === "u") {
      if (!/^[0-9a-fA-F]{4}$/.test(text.slice(i + 1, i + 5))) throw new JsonFault(i + 1, "Invalid \\uXXXX escape");
      i += 4;
    } else if (escaped === undefined || !'"\\/bfnrt'.includes(escaped)) throw new JsonFault(i - 1, "Invalid \\escape");
  }
  throw new JsonFault(start, "Unterminated string starting at");
}

function readArray(text: string, start: number, depth: number): number {
  let at = skipSpace(text, start + 1);
  if (text[at] === "]") return at + 1;
  for (;;) {
    at = skipSpace(text, readValue(text, at, depth + 1));
    if (text[at] === "]") return at + 1;
    if (text[at] !== ",") throw new JsonFault(at, "Expecting ',' delimiter");
    at = skipSpace(text, at + 1);
  }
}

function readObject(text: string, start: number, depth: number): number {
  let at = skipSpace(text, start + 1);
  if (text[at] === "}") return at + 1;
  for (;;) {
    if (text[at] !== '"') throw new JsonFault(at, "Expecting property name enclosed in double quotes");
    at = skipSpace(text, readString(text, at));
    if (text[at] !== ":") throw new JsonFault(at, "Expecting ':' delimiter");
    at = skipSpace(text, readValue(text, skipSpace(text, at + 1), depth + 1));
    if (text[at] === "}") return at + 1;
    if (text[at] !== ",") throw new JsonFault(at, "Expecting ',' delimiter");
    at = skipSpace(text, at + 1);
  }
}
