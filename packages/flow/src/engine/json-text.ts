/** The JSON value that a text consists of, whole or in its only fenced block; undefined where there is none. */
export function wholeJson(text: string): unknown {
  const trimmed = text.trim();
  const direct = tryParse(trimmed);
  if (direct !== undefined) return direct;
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(trimmed)?.[1];
  return fenced === undefined ? undefined : tryParse(fenced);
}

/** The first JSON object anywhere in a text; undefined where there is none. */
export function firstObject(text: string): Record<string, unknown> | undefined {
  const whole = wholeJson(text);
  if (isObject(whole)) return whole;
  for (
    let start = text.indexOf("{"), tries = 0;
    start !== -1 && tries < 20;
    start = text.indexOf("{", start + 1), tries++
  ) {
    const end = closingBrace(text, start);
    if (end === -1) continue;
    const value = tryParse(text.slice(start, end + 1));
    if (isObject(value)) return value;
  }
  return undefined;
}

/** Parses JSON; undefined for what is none. Keys such as `__proto__` become plain data and change no prototype. */
export function tryParse(text: string): unknown {
  if (!/^[[{"\d\-tfn]/.test(text.trimStart())) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function closingBrace(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const char = text[i]!;
    if (inString) {
      if (char === "\\") i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return i;
  }
  return -1;
}
