import { RE2JS } from "re2js";
import { FlowError } from "../errors.ts";
import type { Expression, Template } from "./ast.ts";

/** Where paths begin. A value may be JSON, or a {@link TextValue} that stands for its text. */
export interface Scope {
  /** Value of a root (`input`, `outputs` …); undefined where there is none. */
  root(name: string): unknown;
  /** Records of a step, oldest first. */
  history(stepId: string): readonly unknown[];
}

/** An object that reads as text where text is wanted, such as the output of a step. */
export class TextValue {
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
  constructor(text: string, fields: Readonly<Record<string, unknown>>) {
    this.text = text;
    this.fields = fields;
  }
}

/** A map whose values are made when they are asked for; a path ends in one of them, never in the map. */
export class LazyMap {
  readonly get: (key: string) => unknown;
  constructor(get: (key: string) => unknown) {
    this.get = get;
  }
}

const MAX_PATTERN_TEXT = 200_000;

/** Value of an expression; a path that leads nowhere is null. */
export function evaluate(node: Expression, scope: Scope): unknown {
  switch (node.kind) {
    case "literal":
      return node.value;
    case "path":
      return lookUp(node, scope) ?? null;
    case "not":
      return !isTruthy(evaluate(node.operand, scope));
    case "and": {
      const left = evaluate(node.left, scope);
      return isTruthy(left) ? evaluate(node.right, scope) : left;
    }
    case "or": {
      const left = evaluate(node.left, scope);
      return isTruthy(left) ? left : evaluate(node.right, scope);
    }
    case "arithmetic":
      return add(node.operator, plain(evaluate(node.left, scope)), plain(evaluate(node.right, scope)));
    case "compare":
      return compare(node.operator, plain(evaluate(node.left, scope)), plain(evaluate(node.right, scope)));
    case "call":
      return call(node, scope);
  }
}

/** False, null, 0, "", [], {} and empty outputs are false; all else is true. */
export function isTruthy(value: unknown): boolean {
  const bare = plain(value);
  if (bare === null || bare === undefined || bare === false || bare === 0 || bare === "") return false;
  if (Array.isArray(bare)) return bare.length > 0;
  if (typeof bare === "object") return Object.keys(bare).length > 0;
  return true;
}

/** Text of a value: strings as they are, null as nothing, all else as JSON. */
export function asText(value: unknown): string {
  if (value instanceof TextValue) return value.text;
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return JSON.stringify(value, (_, inner: unknown) => (inner instanceof TextValue ? inner.fields : inner));
}

/** JSON of a value: outputs become their text. */
export function plain(value: unknown): unknown {
  return value instanceof TextValue ? value.text : value;
}

/**
 * Fills a template; `wrap` is handed each value that is put in, with the expression it came from.
 *
 * @throws FlowError E402 where a path leads nowhere and no `default` catches it
 */
export function renderTemplate(
  template: Template,
  scope: Scope,
  wrap?: (text: string, expression: Expression) => string,
): string {
  let text = "";
  for (const part of template) {
    if ("text" in part) {
      text += part.text;
      continue;
    }
    const missing = missingPath(part.expression, scope);
    if (missing !== undefined)
      throw new FlowError("E402", "internal", `The template names '${missing}', which does not exist.`);
    const value = asText(evaluate(part.expression, scope));
    text += wrap === undefined ? value : wrap(value, part.expression);
  }
  return text;
}

function missingPath(node: Expression, scope: Scope): string | undefined {
  switch (node.kind) {
    case "literal":
      return undefined;
    case "path":
      return lookUp(node, scope) === undefined ? pathText(node) : undefined;
    case "call":
      if (node.name === "default") return undefined;
      for (const argument of node.args) {
        const missing = missingPath(argument, scope);
        if (missing !== undefined) return missing;
      }
      return undefined;
    case "not":
      return missingPath(node.operand, scope);
    case "and":
    case "or":
    case "arithmetic":
    case "compare":
      return missingPath(node.left, scope) ?? missingPath(node.right, scope);
  }
}

function pathText(node: Expression & { readonly kind: "path" }): string {
  return (
    node.root +
    node.steps
      .map((step) =>
        typeof step === "number" ? `[${step}]` : /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(step) ? `.${step}` : `["${step}"]`,
      )
      .join("")
  );
}

function lookUp(node: Expression & { readonly kind: "path" }, scope: Scope): unknown {
  let value = scope.root(node.root);
  for (const step of node.steps) {
    if (value instanceof TextValue) value = value.fields;
    if (value instanceof LazyMap) {
      value = value.get(String(step));
      if (value === undefined) return undefined;
      continue;
    }
    if (Array.isArray(value)) {
      if (step === "length") value = value.length;
      else {
        const index = Number(step);
        value = Number.isInteger(index) ? value.at(index) : undefined;
      }
    } else if (typeof value === "object" && value !== null) {
      // Own keys only: "constructor" and its kin are not data.
      value = Object.hasOwn(value, String(step)) ? (value as Record<string, unknown>)[String(step)] : undefined;
    } else return undefined;
    if (value === undefined) return undefined;
  }
  return value instanceof LazyMap ? undefined : value;
}

function add(operator: "+" | "-", left: unknown, right: unknown): unknown {
  if (typeof left === "number" && typeof right === "number") return operator === "+" ? left + right : left - right;
  if (operator === "-") return null;
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  return asText(left) + asText(right);
}

function compare(operator: string, left: unknown, right: unknown): boolean {
  switch (operator) {
    case "==":
      return isEqual(left, right);
    case "!=":
      return !isEqual(left, right);
    case "in":
      return contains(right, left);
    case "contains":
      return contains(left, right);
    case "matches":
      return matches(asText(left), asText(right));
    default:
      return order(operator, left, right);
  }
}

function order(operator: string, left: unknown, right: unknown): boolean {
  const bothNumbers = typeof left === "number" && typeof right === "number";
  const bothStrings = typeof left === "string" && typeof right === "string";
  if (!bothNumbers && !bothStrings) return false;
  switch (operator) {
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    default:
      return left >= right;
  }
}

function isEqual(left: unknown, right: unknown): boolean {
  const a = plain(left);
  const b = plain(right);
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isEqual(item, b[i]));
  if (
    typeof a === "object" &&
    typeof b === "object" &&
    a !== null &&
    b !== null &&
    !Array.isArray(a) &&
    !Array.isArray(b)
  ) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every(
        (key) =>
          Object.hasOwn(b, key) && isEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
      )
    );
  }
  return false;
}

function contains(whole: unknown, part: unknown): boolean {
  if (typeof whole === "string") return whole.includes(asText(part));
  if (Array.isArray(whole)) return whole.some((item) => isEqual(item, part));
  if (typeof whole === "object" && whole !== null) return Object.hasOwn(whole, asText(part));
  return false;
}

/** RE2 search: linear in the text, so that a bound on the text bounds the time (the same everywhere, unlike a clock). */
export function matches(text: string, pattern: string): boolean {
  if (text.length > MAX_PATTERN_TEXT)
    throw new FlowError(
      "E402",
      "internal",
      `'matches' takes texts of at most ${MAX_PATTERN_TEXT} characters, not ${text.length}.`,
    );
  try {
    return RE2JS.compile(pattern).matcher(text).find();
  } catch (error) {
    throw new FlowError(
      "E402",
      "internal",
      `'matches' can't use the pattern '${pattern.slice(0, 80)}': ${(error as Error).message}.`,
    );
  }
}

function call(node: Expression & { readonly kind: "call" }, scope: Scope): unknown {
  const args = node.args.map((argument) => evaluate(argument, scope));
  const value = args[0] ?? null;
  const bare = plain(value);
  switch (node.name) {
    case "len":
    case "count":
      if (typeof bare === "string") return bare.length;
      if (Array.isArray(bare)) return bare.length;
      return typeof bare === "object" && bare !== null ? Object.keys(bare).length : 0;
    case "lower":
      return asText(value).toLowerCase();
    case "upper":
      return asText(value).toUpperCase();
    case "json":
      return JSON.stringify(value, (_, inner: unknown) => (inner instanceof TextValue ? inner.fields : inner));
    case "first":
      return Array.isArray(bare) ? (bare[0] ?? null) : typeof bare === "string" ? bare.slice(0, 1) : null;
    case "last":
      return Array.isArray(bare) ? (bare.at(-1) ?? null) : typeof bare === "string" ? bare.slice(-1) : null;
    case "default":
      return bare === null || bare === "" ? (args[1] ?? "") : value;
    case "split":
      return asText(value).split(args[1] === undefined ? /\r?\n/ : asText(args[1]));
    case "join":
      return Array.isArray(bare)
        ? bare.map(asText).join(args[1] === undefined ? "\n" : asText(args[1]))
        : asText(value);
    case "history":
      return scope.history(asText(value));
  }
}
