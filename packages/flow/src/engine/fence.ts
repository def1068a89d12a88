/** A sign of text that tries to instruct its reader. */
export interface InjectionFlag {
  readonly kind: "override" | "role_marker" | "fence" | "tool_syntax" | "encoded" | "credentials_url";
  /** 1 doubtful, 2 plain. */
  readonly severity: 1 | 2;
}

const SIGNS: readonly (readonly [InjectionFlag["kind"], 1 | 2, RegExp])[] = [
  [
    "override",
    2,
    /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|system|your)\b.{0,40}\b(?:instructions?|prompts?|rules?|messages?|guidelines?)\b/is,
  ],
  ["override", 2, /\b(?:you are now|from now on,? you|new instructions?:|system prompt|developer mode|jailbreak)\b/i],
  [
    "override",
    1,
    /\b(?:you must|do not tell|never mention|reveal|print|repeat|exfiltrate|send)\b.{0,60}\b(?:system|secret|key|password|token|prompt|instructions?)\b/is,
  ],
  [
    "role_marker",
    2,
    /(?:^|\n)\s*(?:<\|?\/?(?:system|assistant|user|im_start|im_end)\b|\[\/?(?:INST|SYS)\]|(?:system|assistant|developer)\s*:)/i,
  ],
  ["fence", 2, /<\/?data-[0-9a-z]{2,}/i],
  ["tool_syntax", 2, /"tool"\s*:\s*"|<tool_call|<function[_ ]?call|"function_call"\s*:|\bfunctionCall\b/i],
  ["encoded", 1, /[A-Za-z0-9+/]{200,}={0,2}/],
  ["credentials_url", 1, /\bhttps?:\/\/[^\s/@]+:[^\s/@]+@/i],
];

// Control characters but tab and newline, and format characters: zero-width, direction and tag characters hide text from
// people. Joiners stay where scripts and emoji need them, but not inside words of the Latin alphabet.
const HIDDEN =
  /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]|(?<!\p{Extended_Pictographic}|\uFE0F|\p{M}|(?![a-zA-Z])\p{L})(?:\u200c|\u200d)/gu;

const PLAIN = /^[\t\n -~]*$/;

/** Text without control, zero-width, direction and tag characters. */
export function cleanText(text: string): string {
  // Most texts hold none of them, and this look is far quicker than the replacement.
  return PLAIN.test(text) ? text : text.replace(HIDDEN, "");
}

/** Signs of injection in a text; flagged, not deleted, as honest work may quote them. */
export function findInjection(text: string): readonly InjectionFlag[] {
  const clean = cleanText(text);
  const found = new Map<string, InjectionFlag>();
  for (const [kind, severity, pattern] of SIGNS) {
    if (!pattern.test(clean)) continue;
    const known = found.get(kind);
    if (known === undefined || known.severity < severity) found.set(kind, { kind, severity });
  }
  return [...found.values()];
}

/**
 * Material of others as quoted data: a JSON string between tags of the run. `<`, `>` and `&` are escaped inside, so that no
 * text can close the fence, whatever tag it guesses.
 */
export function fenceText(tag: string, attributes: Readonly<Record<string, string>>, text: string): string {
  let names = "";
  for (const key of Object.keys(attributes)) names += ` ${key}="${attributeText(attributes[key]!)}"`;
  const json = JSON.stringify(cleanText(text));
  const quoted = MARKUP.test(json)
    ? json.replace(ALL_MARKUP, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
    : json;
  return `<data-${tag}${names}>${quoted}</data-${tag}>`;
}

const MARKUP = /[<>&]/;
const ALL_MARKUP = /[<>&]/g;

function attributeText(value: string): string {
  // Ids are plain; the look is quicker than the replacement.
  return /^[\w .#:/-]*$/.test(value) ? value : cleanText(value).replace(/[^\p{L}\p{N} _.#:/-]/gu, "_");
}
