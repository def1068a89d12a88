import { RE2JS } from "re2js";
import { nearestName } from "../config/nearest.ts";
import {
  type Comparison,
  type Expression,
  FUNCTIONS,
  type FunctionName,
  type SyntaxFault,
  type Template,
  type TemplatePart,
} from "./ast.ts";

type Token = { readonly at: number; readonly end: number } & (
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "word"; readonly value: string }
  | { readonly kind: "sign"; readonly value: string }
  | { readonly kind: "end"; readonly value: "" }
);

class Fault extends Error {
  readonly fault: SyntaxFault;
  constructor(fault: SyntaxFault) {
    super(fault.message);
    this.fault = fault;
  }
}

const COMPARISONS: readonly string[] = ["==", "!=", "<", "<=", ">", ">=", "in", "contains", "matches"];
const WORDS: readonly string[] = ["and", "or", "not", "in", "contains", "matches", "true", "false", "null"];
const MAX_LENGTH = 4_000;
const MAX_DEPTH = 60;

/** Parses an expression of the closed language; never evaluates. */
export function parseExpression(text: string): { readonly expression: Expression } | { readonly fault: SyntaxFault } {
  try {
    return { expression: new Parser(text).whole() };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.fault };
    throw error;
  }
}

/** Parses text with `{{ expression | function }}` in it; `\{{` stands for two literal braces. */
export function parseTemplate(text: string): { readonly template: Template } | { readonly fault: SyntaxFault } {
  const parts: TemplatePart[] = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{{", at);
    if (open === -1) break;
    if (text[open - 1] === "\\" && open > at) {
      plain += `${text.slice(at, open - 1)}{{`;
      at = open + 2;
      continue;
    }
    const close = closingBraces(text, open + 2);
    if (close === -1)
      return { fault: { at: open, end: Math.min(text.length, open + 2), message: "'{{' is not closed by '}}'." } };
    plain += text.slice(at, open);
    if (plain !== "") parts.push({ text: plain });
    plain = "";
    const source = text.slice(open + 2, close);
    try {
      parts.push({ expression: new Parser(source).piped(), source: source.trim() });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return {
        fault: { at: error.fault.at + open + 2, end: error.fault.end + open + 2, message: error.fault.message },
      };
    }
    at = close + 2;
  }
  plain += text.slice(at);
  if (plain !== "") parts.push({ text: plain });
  return { template: parts };
}

/** Offset of `}}` outside quotes, or −1. */
function closingBraces(text: string, from: number): number {
  let quote = "";
  for (let i = from; i < text.length; i++) {
    const char = text[i]!;
    if (quote !== "") {
      if (char === "\\") i++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if (char === "}" && text[i + 1] === "}") return i;
  }
  return -1;
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    if (text.length > MAX_LENGTH)
      throw new Fault({
        at: 0,
        end: text.length,
        message: `An expression may have ${MAX_LENGTH} characters, not ${text.length}.`,
      });
    this.#tokens = tokenize(text);
  }

  whole(): Expression {
    const expression = this.#or();
    this.#expectEnd();
    return expression;
  }

  /** A template's content: an expression, then filters that take it as first argument. */
  piped(): Expression {
    let value = this.#or();
    while (this.#takeSign("|")) {
      const token = this.#advance();
      if (token.kind !== "word") throw fault(token, "A function name is expected after '|'.");
      const name = functionName(token);
      const args: Expression[] = [value];
      let end = token.end;
      if (this.#takeSign("(")) {
        args.push(...this.#arguments());
        end = this.#previous().end;
      }
      value = { kind: "call", name, args, at: value.at, end };
    }
    this.#expectEnd();
    return value;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#takeWord("or")) {
      const right = this.#and();
      left = { kind: "or", left, right, at: left.at, end: right.end };
    }
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.#takeWord("and")) {
      const right = this.#not();
      left = { kind: "and", left, right, at: left.at, end: right.end };
    }
    return left;
  }

  #not(): Expression {
    const token = this.#peek();
    if (this.#takeWord("not")) {
      if (++this.#depth > MAX_DEPTH) throw fault(token, "The expression is nested too deeply.");
      const operand = this.#not();
      this.#depth--;
      return { kind: "not", operand, at: token.at, end: operand.end };
    }
    return this.#comparison();
  }

  #comparison(): Expression {
    const left = this.#sum();
    const token = this.#peek();
    if ((token.kind === "sign" || token.kind === "word") && COMPARISONS.includes(token.value)) {
      this.#advance();
      const right = this.#sum();
      if (token.value === "matches" && right.kind === "literal") checkPattern(right);
      const again = this.#peek();
      if (again.kind === "sign" && COMPARISONS.includes(again.value))
        throw fault(again, "Comparisons can't be chained; join them with 'and'.");
      return { kind: "compare", operator: token.value as Comparison, left, right, at: left.at, end: right.end };
    }
    if (token.kind === "sign" && token.value === "=") throw fault(token, "'=' is no comparison; write '=='.");
    return left;
  }

  #sum(): Expression {
    let left = this.#primary();
    for (;;) {
      const token = this.#peek();
      if (token.kind !== "sign" || (token.value !== "+" && token.value !== "-")) return left;
      this.#advance();
      const right = this.#primary();
      left = { kind: "arithmetic", operator: token.value, left, right, at: left.at, end: right.end };
    }
  }

  #primary(): Expression {
    const token = this.#advance();
    switch (token.kind) {
      case "number":
      case "string":
        return { kind: "literal", value: token.value, at: token.at, end: token.end };
      case "sign": {
        if (token.value === "(") {
          if (++this.#depth > MAX_DEPTH) throw fault(token, "The expression is nested too deeply.");
          const inner = this.#or();
          this.#depth--;
          if (!this.#takeSign(")")) throw fault(this.#peek(), "')' is missing.");
          return inner;
        }
        if (token.value === "-") {
          const number = this.#peek();
          if (number.kind === "number") {
            this.#advance();
            return { kind: "literal", value: -number.value, at: token.at, end: number.end };
          }
        }
        throw fault(token, `A value is expected, not '${token.value}'.`);
      }
      case "word":
        return this.#word(token);
      case "end":
        throw fault(token, "The expression ends where a value is expected.");
    }
  }

  #word(token: Token & { readonly kind: "word" }): Expression {
    if (token.value === "true" || token.value === "false")
      return { kind: "literal", value: token.value === "true", at: token.at, end: token.end };
    if (token.value === "null") return { kind: "literal", value: null, at: token.at, end: token.end };
    if (WORDS.includes(token.value)) throw fault(token, `A value is expected, not '${token.value}'.`);
    if (this.#takeSign("(")) {
      const name = functionName(token);
      if (++this.#depth > MAX_DEPTH) throw fault(token, "The expression is nested too deeply.");
      const args = this.#arguments();
      this.#depth--;
      return { kind: "call", name, args, at: token.at, end: this.#previous().end };
    }
    const steps: (string | number)[] = [];
    for (;;) {
      if (this.#takeSign(".")) {
        const name = this.#advance();
        if (name.kind !== "word") throw fault(name, "A name is expected after '.'.");
        steps.push(name.value);
      } else if (this.#takeSign("[")) {
        const key = this.#advance();
        if (key.kind !== "number" && key.kind !== "string")
          throw fault(key, "A number or a quoted name is expected between '[' and ']'.");
        if (key.kind === "number" && !Number.isInteger(key.value)) throw fault(key, "An index must be a whole number.");
        steps.push(key.value);
        if (!this.#takeSign("]")) throw fault(this.#peek(), "']' is missing.");
      } else return { kind: "path", root: token.value, steps, at: token.at, end: this.#previous().end };
    }
  }

  #arguments(): Expression[] {
    const args: Expression[] = [];
    if (this.#takeSign(")")) return args;
    for (;;) {
      args.push(this.#or());
      if (this.#takeSign(")")) return args;
      if (!this.#takeSign(",")) throw fault(this.#peek(), "',' or ')' is expected.");
    }
  }

  #expectEnd(): void {
    const token = this.#peek();
    if (token.kind !== "end") throw fault(token, `'${token.value}' is not expected here.`);
  }

  #peek(): Token {
    return this.#tokens[this.#next]!;
  }

  #previous(): Token {
    return this.#tokens[this.#next - 1]!;
  }

  #advance(): Token {
    const token = this.#peek();
    if (token.kind !== "end") this.#next++;
    return token;
  }

  #takeSign(value: string): boolean {
    const token = this.#peek();
    if (token.kind !== "sign" || token.value !== value) return false;
    this.#next++;
    return true;
  }

  #takeWord(value: string): boolean {
    const token = this.#peek();
    if (token.kind !== "word" || token.value !== value) return false;
    this.#next++;
    return true;
  }
}

function fault(token: Token, message: string): Fault {
  return new Fault({ at: token.at, end: Math.max(token.end, token.at + 1), message });
}

function functionName(token: Token & { readonly kind: "word" }): FunctionName {
  const found = FUNCTIONS.find((name) => name === token.value);
  if (found !== undefined) return found;
  const near = nearestName(token.value, FUNCTIONS);
  throw fault(
    token,
    `'${token.value}' is not a function.${near === undefined ? "" : ` Did you mean '${near}'?`} Known: ${FUNCTIONS.join(", ")}.`,
  );
}

function checkPattern(literal: Expression & { readonly kind: "literal" }): void {
  try {
    RE2JS.compile(String(literal.value));
  } catch (error) {
    throw new Fault({
      at: literal.at,
      end: literal.end,
      message: `The pattern is not valid (RE2 syntax, no look-around or back-references): ${(error as Error).message}.`,
    });
  }
}

const SIGNS = ["==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", ".", ",", "+", "-", "|", "="];

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at]!;
    if (/\s/.test(char)) {
      at++;
      continue;
    }
    const number = /^\d+(?:\.\d+)?/.exec(text.slice(at))?.[0];
    const word = /^[\p{L}_][\p{L}\p{N}_-]*/u.exec(text.slice(at))?.[0];
    if (number !== undefined) {
      tokens.push({ kind: "number", value: Number(number), at, end: at + number.length });
      at += number.length;
    } else if (word !== undefined) {
      tokens.push({ kind: "word", value: word, at, end: at + word.length });
      at += word.length;
    } else if (char === '"' || char === "'") {
      const { value, end } = quoted(text, at);
      tokens.push({ kind: "string", value, at, end });
      at = end;
    } else {
      const sign = SIGNS.find((candidate) => text.startsWith(candidate, at));
      if (sign === undefined)
        throw new Fault({ at, end: at + 1, message: `The character '${char}' has no meaning here.` });
      tokens.push({ kind: "sign", value: sign, at, end: at + sign.length });
      at += sign.length;
    }
  }
  tokens.push({ kind: "end", value: "", at: text.length, end: text.length });
  return tokens;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function quoted(text: string, start: number): { readonly value: string; readonly end: number } {
  const quote = text[start]!;
  let value = "";
  for (let i = start + 1; i < text.length; i++) {
    const char = text[i]!;
    if (char === quote) return { value, end: i + 1 };
    if (char === "\\" && i + 1 < text.length) {
      const next = text[++i]!;
      // Unknown escapes stay as they are, so that patterns need no doubled backslash.
      value += next === quote || next === "\\" ? next : (ESCAPES[next] ?? `\\${next}`);
    } else value += char;
  }
  throw new Fault({ at: start, end: text.length, message: "The text is not closed by its quote." });
}
