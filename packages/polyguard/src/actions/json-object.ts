/** First JSON value of a text, found without trusting the text. */
export interface ScannedObject {
  /** The object's own text. */
  readonly text: string;
  /** What follows it, untrimmed. */
  readonly rest: string;
  readonly hasDuplicateKey: boolean;
}

const STRING = /"(?:[^"\\]|\\[\s\S])*"/y;

/**
 * Finds the object that `text` begins with, its end and whether a key occurs twice in one object; null when the text does
 * not begin with `{`, is cut off or nests deeper than 64. The slice may still be invalid JSON: parse it.
 */
export function scanObject(text: string): ScannedObject | null {
  if (!text.startsWith("{")) return null;
  // One entry per open bracket: the keys of an object, or null for an array.
  const open: (Set<string> | null)[] = [];
  let expectsKey = false;
  let hasDuplicateKey = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') {
      STRING.lastIndex = i;
      const match = STRING.exec(text);
      if (match === null) return null;
      const keys = open[open.length - 1];
      if (expectsKey && keys) {
        const key = unescapeKey(match[0]);
        if (keys.has(key)) hasDuplicateKey = true;
        keys.add(key);
        expectsKey = false;
      }
      i = STRING.lastIndex - 1;
    } else if (character === "{" || character === "[") {
      if (open.length === 64) return null;
      open.push(character === "{" ? new Set() : null);
      expectsKey = character === "{";
    } else if (character === ",") {
      expectsKey = Boolean(open[open.length - 1]);
    } else if (character === "}" || character === "]") {
      open.pop();
      expectsKey = false;
      if (open.length === 0) return { text: text.slice(0, i + 1), rest: text.slice(i + 1), hasDuplicateKey };
    }
  }
  return null;
}

// "\u0061" and "a" are the same key, so keys are compared as they decode.
function unescapeKey(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}

/** UTF-8 length of a text. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (code >= 0xd800 && code <= 0xdbff && text.charCodeAt(i + 1) >= 0xdc00 && text.charCodeAt(i + 1) <= 0xdfff) {
      bytes += 4;
      i++;
    } else bytes += 3;
  }
  return bytes;
}
