import { findJsonError, findUnsafeJson, PraxisError } from "@praxis/env";

/** Texts below this length can hold neither 65 levels of nesting nor many values; only escapes need a look. */
const SHORT_TEXT = 130;
/** From this length on the text is measured before it is parsed, as parsing could take a hundred times its size in memory. */
const LONG_TEXT = 1 << 20;
/** Most values (members and items) that a message may hold. */
const MAX_VALUES = 2_000_000;
const MAX_TEXT_DEPTH = 512;

/** Parses a message. Throws INVALID_JSON, or VALIDATION_ERROR for a long text of too many values or levels. */
export function parseJsonText(text: string): unknown {
  if (text.length >= LONG_TEXT) checkSize(text);
  try {
    return JSON.parse(text);
  } catch {
    const { offset, reason } = findJsonError(text);
    throw new PraxisError("INVALID_JSON", `Invalid JSON: ${reason}: ${place(text, offset)}`);
  }
}

/**
 * Refuses in a parsed message what no environment should be handed (`findUnsafeJson`). Throws VALIDATION_ERROR. Short plain
 * texts, the usual case, are not even looked at.
 */
export function checkParsedText(text: string, value: unknown): void {
  // Only an escape can bring in a lone surrogate, and only an escape or its plain spelling the key __proto__.
  if (text.length < SHORT_TEXT && !text.includes("\\u") && !text.includes("__proto__")) return;
  const found = findUnsafeJson(value);
  if (found !== null)
    throw new PraxisError("VALIDATION_ERROR", `${found.msg} (at ${found.loc.join(".") || "the top"}).`, {
      fields: [found],
    });
}

/** Counts levels and values of a long text without building them. */
function checkSize(text: string): void {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      // Strings are skipped natively: a message of one huge string costs next to nothing here.
      let end = text.indexOf('"', i + 1);
      while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
      if (end < 0) return; // not JSON; the parser says so
      i = end;
    } else if (code === 0x5b || code === 0x7b) {
      values++;
      if (++depth > MAX_TEXT_DEPTH) throw tooMuch(`is nested deeper than ${MAX_TEXT_DEPTH} levels`);
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x2c && ++values > MAX_VALUES) throw tooMuch(`holds more than ${MAX_VALUES} values`);
  }
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

const tooMuch = (why: string): PraxisError =>
  new PraxisError("VALIDATION_ERROR", `The message ${why}.`, {
    fields: [{ type: "recursion_loop", loc: [], msg: `Input ${why}` }],
  });

function place(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return `line ${line} column ${offset - before.lastIndexOf("\n")} (char ${offset})`;
}
