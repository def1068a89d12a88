import { type FieldError, PraxisError } from "@praxis/env";
import type { z } from "zod";
import { toFieldErrors, valueAt } from "./field-errors.ts";

type Issue = z.core.$ZodIssue;

/** A repair of one field: the value that Pydantic's lax mode would have read there. */
interface Repair {
  readonly path: readonly PropertyKey[];
  readonly value: unknown;
}

const TRUE_WORDS = new Set(["1", "true", "t", "yes", "y", "on"]);
const FALSE_WORDS = new Set(["0", "false", "f", "no", "n", "off"]);
const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** What lax mode makes of `input` where `expected` is wanted; undefined if nothing. */
function coerced(expected: string, input: unknown): unknown {
  if (expected === "number" || expected === "int") {
    if (typeof input === "boolean") return input ? 1 : 0;
    if (typeof input === "string" && NUMBER.test(input)) return Number(input);
  } else if (expected === "boolean") {
    if (input === 1 || input === 0) return input === 1;
    if (typeof input === "string") {
      const word = input.toLowerCase();
      if (TRUE_WORDS.has(word)) return true;
      if (FALSE_WORDS.has(word)) return false;
    }
  }
  return undefined;
}

function findRepairs(issues: readonly Issue[], parent: readonly PropertyKey[], root: unknown): Repair[] {
  const repairs: Repair[] = [];
  for (const issue of issues) {
    const path = [...parent, ...issue.path];
    if (issue.code === "invalid_type") {
      const value = coerced(issue.expected, valueAt(root, path));
      if (value !== undefined) repairs.push({ path, value });
    } else if (issue.code === "invalid_union") {
      // The first branch whose every fault can be repaired; its neighbours may want other repairs.
      for (const branch of issue.errors) {
        const found = findRepairs(branch, path, root);
        if (found.length > 0 && found.length === branch.length) {
          repairs.push(...found);
          break;
        }
      }
    }
  }
  return repairs;
}

/** A copy of `root` with `value` at `path`; what is not on the path is shared. */
function withValue(root: unknown, path: readonly PropertyKey[], value: unknown): unknown {
  if (path.length === 0) return value;
  const [key, ...rest] = path;
  const copy: Record<PropertyKey, unknown> = Array.isArray(root)
    ? ([...root] as unknown as Record<PropertyKey, unknown>)
    : { ...(root as Record<PropertyKey, unknown>) };
  copy[key!] = withValue(copy[key!], rest, value);
  return copy;
}

/**
 * Parses as Pydantic 2 does in its lax mode: integers from "3" and true, numbers from numeric strings, booleans from their
 * usual words; nothing else is bent. Values that fit as they are take the fast way. Throws VALIDATION_ERROR whose fields
 * are in Pydantic's words, each `loc` begun with `prefix`.
 */
export function parseLax<T>(schema: z.ZodType<T>, input: unknown, prefix: readonly (string | number)[] = []): T {
  const first = schema.safeParse(input);
  if (first.success) return first.data;
  const repaired = findRepairs(first.error.issues, [], input).reduce<unknown>(
    (value, repair) => withValue(value, repair.path, repair.value),
    input,
  );
  const second = repaired === input ? first : schema.safeParse(repaired);
  if (second.success) return second.data;
  // Zod names the kind of number only once it sees a number: try one that no integer field takes.
  const isInteger = (path: readonly PropertyKey[]): boolean => {
    const probed = schema.safeParse(withValue(repaired, path, 0.5));
    return (
      !probed.success &&
      probed.error.issues.some(
        (issue) => issue.code === "invalid_type" && issue.expected === "int" && same(issue.path, path),
      )
    );
  };
  const fields = toFieldErrors(second.error, input, isInteger).map((field) => ({
    ...field,
    // A repaired number may still have a fraction: what was sent is a string that is no integer.
    ...(field.type === "int_from_float" && typeof field.input === "string"
      ? { type: "int_parsing", msg: "Input should be a valid integer, unable to parse string as an integer" }
      : {}),
    loc: [...prefix, ...field.loc],
  }));
  throw fieldsError(fields);
}

const same = (a: readonly PropertyKey[], b: readonly PropertyKey[]): boolean =>
  a.length === b.length && a.every((key, i) => key === b[i]);

/** VALIDATION_ERROR for field errors, with the first few of them in the message. */
export function fieldsError(fields: readonly FieldError[]): PraxisError {
  const shown = fields.slice(0, 3).map((field) => `${field.loc.join(".") || "input"}: ${field.msg}`);
  const more = fields.length > 3 ? ` (and ${fields.length - 3} more)` : "";
  return new PraxisError("VALIDATION_ERROR", `${shown.join("; ")}${more}.`, { fields });
}

/** Longest text of an input that an error repeats: a hundred megabytes need not travel back. */
const MAX_INPUT_TEXT = 1_000;

/** An error without the bulk of a very long input text. */
export function withShortInput(field: FieldError): FieldError {
  const { input } = field;
  if (typeof input !== "string" || input.length <= MAX_INPUT_TEXT) return field;
  return { ...field, input: `${input.slice(0, MAX_INPUT_TEXT).toWellFormed()}…` };
}

/** Adds Pydantic's documentation link, as entries for actions and socket messages carry it. */
export function withUrl(field: FieldError): FieldError & { readonly url: string } {
  const { type, loc, msg, input, ctx } = withShortInput(field);
  return {
    type,
    loc,
    msg,
    ...(input === undefined ? {} : { input }),
    ...(ctx === undefined ? {} : { ctx }),
    url: `https://errors.pydantic.dev/2.13/v/${type}`,
  };
}
