import type { FieldError } from "@praxis/env";
import type { z } from "zod";

type Issue = z.core.$ZodIssue;
type Path = readonly (string | number)[];

const plural = (n: number | bigint, noun: string): string => `${n} ${noun}${Number(n) === 1 ? "" : "s"}`;
const quoted = (value: unknown): string => (typeof value === "string" ? `'${value}'` : String(value));

/** `'a', 'b' or 'c'` */
function listed(values: readonly unknown[]): string {
  const texts = values.map(quoted);
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
}

/** The value at `path`, or undefined. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/**
 * The issues of a zod parse as the field errors that Pydantic 2 would have raised for the same input, in the same order.
 * @param root the whole parsed input @param isInteger tells whether the field at a path takes integers only
 */
export function toFieldErrors(
  error: { readonly issues: readonly Issue[] },
  root: unknown,
  isInteger: (path: Path) => boolean = () => false,
): FieldError[] {
  return error.issues.flatMap((issue) => translate(issue, [], root, isInteger));
}

function translate(issue: Issue, parent: Path, root: unknown, isInteger: (path: Path) => boolean): FieldError[] {
  const loc = [...parent, ...issue.path.map((key) => (typeof key === "symbol" ? String(key) : key))];
  const input = valueAt(root, loc);
  const entry = (type: string, msg: string, ctx?: Readonly<Record<string, unknown>>): FieldError[] => [
    ctx === undefined ? { type, loc, msg, input } : { type, loc, msg, input, ctx },
  ];
  if (input === undefined && (issue.code === "invalid_type" || issue.code === "invalid_value"))
    return [{ type: "missing", loc, msg: "Field required", input: valueAt(root, loc.slice(0, -1)) }];
  switch (issue.code) {
    case "invalid_type":
      return entry(...wrongType(issue.expected, input, () => isInteger(loc)));
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        type: "extra_forbidden",
        loc: [...loc, key],
        msg: "Extra inputs are not permitted",
        input: valueAt(input, [key]),
      }));
    case "too_small":
    case "too_big":
      return entry(...outOfRange(issue, input));
    case "invalid_value": {
      const expected = listed(issue.values);
      return entry("literal_error", `Input should be ${expected}`, { expected });
    }
    case "invalid_format": {
      if (issue.format !== "regex" || issue.pattern === undefined) return entry(...custom(issue.message));
      const pattern = issue.pattern.replace(/^\/(.*)\/[a-z]*$/s, "$1");
      return entry("string_pattern_mismatch", `String should match pattern '${pattern}'`, { pattern });
    }
    case "not_multiple_of":
      return entry("multiple_of", `Input should be a multiple of ${issue.divisor}`, { multiple_of: issue.divisor });
    case "invalid_union":
      return issue.discriminator === undefined
        ? unionErrors(issue, loc, root, isInteger)
        : [discriminatorError(issue, loc, root)];
    default:
      return entry(...custom(issue.message));
  }
}

type Entry = [type: string, msg: string, ctx?: Readonly<Record<string, unknown>>];

const custom = (message: string): Entry => ["value_error", `Value error, ${message}`, { error: message }];

function wrongType(expected: string, input: unknown, isInteger: () => boolean): Entry {
  switch (expected) {
    case "number":
    case "int":
      return wrongNumber(expected, input, isInteger);
    case "string":
      return ["string_type", "Input should be a valid string"];
    case "boolean":
      return typeof input === "string" || typeof input === "number"
        ? ["bool_parsing", "Input should be a valid boolean, unable to interpret input"]
        : ["bool_type", "Input should be a valid boolean"];
    case "object":
    case "record":
      return ["dict_type", "Input should be a valid dictionary"];
    case "array":
    case "tuple":
      return ["list_type", "Input should be a valid list"];
    case "set":
      return ["set_type", "Input should be a valid set"];
    case "null":
      return ["none_required", "Input should be None"];
    default:
      return custom(`expected ${expected}`);
  }
}

function wrongNumber(expected: "number" | "int", input: unknown, isInteger: () => boolean): Entry {
  if (typeof input === "number" && !Number.isFinite(input)) return ["finite_number", "Input should be a finite number"];
  if (expected === "int" && typeof input === "number")
    return ["int_from_float", "Input should be a valid integer, got a number with a fractional part"];
  const word = expected === "int" || isInteger() ? "int" : "float";
  const noun = word === "int" ? "integer" : "number";
  return typeof input === "string"
    ? [
        `${word}_parsing`,
        `Input should be a valid ${noun}, unable to parse string as ${word === "int" ? "an integer" : "a number"}`,
      ]
    : [`${word}_type`, `Input should be a valid ${noun}`];
}

function outOfRange(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig, input: unknown): Entry {
  const isSmall = issue.code === "too_small";
  const limit = isSmall ? issue.minimum : issue.maximum;
  const bound = isSmall ? "at least" : "at most";
  const key = isSmall ? "min_length" : "max_length";
  switch (issue.origin) {
    case "number":
    case "int":
    case "bigint": {
      const word = isSmall ? "greater" : "less";
      const inclusive = issue.inclusive !== false;
      return [
        `${word}_than${inclusive ? "_equal" : ""}`,
        `Input should be ${word} than ${inclusive ? "or equal to " : ""}${limit}`,
        { [(isSmall ? "g" : "l") + (inclusive ? "e" : "t")]: limit },
      ];
    }
    case "string":
      return [
        `string_too_${isSmall ? "short" : "long"}`,
        `String should have ${bound} ${plural(limit, "character")}`,
        { [key]: limit },
      ];
    case "array":
    case "set": {
      const actual = Array.isArray(input) ? input.length : null;
      return [
        isSmall ? "too_short" : "too_long",
        `List should have ${bound} ${plural(limit, "item")} after validation, not ${actual}`,
        { field_type: "List", [key]: limit, actual_length: actual },
      ];
    }
    default:
      return custom(issue.message);
  }
}

function discriminatorError(issue: z.core.$ZodIssueInvalidUnion, loc: Path, root: unknown): FieldError {
  const name = issue.discriminator!;
  const owner = loc.slice(0, -1);
  const input = valueAt(root, owner);
  const tag = valueAt(root, loc);
  const discriminator = `'${name}'`;
  if (tag === undefined)
    return {
      type: "union_tag_not_found",
      loc: owner,
      msg: `Unable to extract tag using discriminator ${discriminator}`,
      input,
      ctx: { discriminator },
    };
  const expected = ((issue as { options?: readonly unknown[] }).options ?? []).map(quoted).join(", ");
  return {
    type: "union_tag_invalid",
    loc: owner,
    msg: `Input tag '${String(tag)}' found using ${discriminator} does not match any of the expected tags: ${expected}`,
    input,
    ctx: { discriminator, tag, expected_tags: expected },
  };
}

const BRANCH_NAMES: Readonly<Record<string, string>> = {
  string: "str",
  number: "float",
  int: "int",
  boolean: "bool",
  object: "dict",
  array: "list",
  null: "none",
};

/** Pydantic lists what every branch of a union misses, with the branch in the path. */
function unionErrors(
  issue: z.core.$ZodIssueInvalidUnion,
  loc: Path,
  root: unknown,
  isInteger: (path: Path) => boolean,
): FieldError[] {
  return issue.errors.flatMap((branch, i) => {
    const first = branch[0];
    const known = first?.code === "invalid_type" && first.path.length === 0 ? BRANCH_NAMES[first.expected] : undefined;
    return branch
      .flatMap((inner) => translate(inner, loc, root, isInteger))
      .map((found) => ({ ...found, loc: [...loc, known ?? String(i), ...found.loc.slice(loc.length)] }));
  });
}
