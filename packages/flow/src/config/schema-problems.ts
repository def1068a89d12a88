import type { z } from "zod";
import type { Code } from "../codes.ts";
import type { ConfigDocument, ConfigPath } from "./document.ts";
import { PROVIDER_KINDS } from "./model-schema.ts";
import { nearestName } from "./nearest.ts";
import { makeProblem, type Problem } from "./problem.ts";

type Issue = z.core.$ZodIssue;

/** Keys whose content belongs to others: `x-` keys are kept there. */
const FOREIGN_KEYS = ["options", "schema", "json_schema", "headers", "env", "default", "input"];

/** The data without keys that begin with `x-`. */
function withoutFreeKeys(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(withoutFreeKeys);
  if (typeof data !== "object" || data === null) return data;
  const entries = Object.entries(data).filter(([key]) => !key.startsWith("x-"));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, FOREIGN_KEYS.includes(key) ? value : withoutFreeKeys(value)]),
  );
}

/** Checks a document's data against a schema; every problem has its place. */
export function checkSchema(document: ConfigDocument, schema: z.ZodType): readonly Problem[] {
  const data = withoutFreeKeys(document.data);
  const result = schema.safeParse(data);
  if (result.success) return [];
  const problems: Problem[] = [];
  const issues = result.error.issues.flatMap((issue) => flatten(issue, [], data));
  const misspelt = misspeltKeys(issues, schema, data);
  for (const issue of issues) {
    if (issue.kind === "missing" && misspelt.missing.has(pathKey(issue.path))) continue;
    problems.push(toProblem(document, issue, misspelt.suggestions, data));
  }
  return problems;
}

type Finding = { readonly path: ConfigPath } & (
  | { readonly kind: "missing"; readonly expected: string }
  | { readonly kind: "unknown"; readonly key: string; readonly siblings: readonly string[] }
  | { readonly kind: "type"; readonly expected: string }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "range"; readonly message: string }
  | { readonly kind: "id" }
);

function pathKey(path: ConfigPath): string {
  return JSON.stringify(path);
}

function flatten(issue: Issue, base: ConfigPath, data: unknown): Finding[] {
  const path: ConfigPath = [...base, ...(issue.path as (string | number)[])];
  const value = valueAt(data, path);
  switch (issue.code) {
    case "invalid_type":
      return value === undefined
        ? [{ kind: "missing", path, expected: issue.expected }]
        : [{ kind: "type", path, expected: issue.expected }];
    case "unrecognized_keys":
      return issue.keys.map((key) => ({ kind: "unknown", path: [...path, key], key, siblings: [] }));
    case "invalid_value":
      if (value === undefined) return [{ kind: "missing", path, expected: issue.values.map(String).join(" or ") }];
      return [{ kind: "enum", path, values: issue.values.map(String) }];
    case "invalid_union":
      return flattenUnion(issue, path, value, data);
    case "too_small":
    case "too_big":
      return [{ kind: "range", path, message: rangeMessage(issue, value) }];
    case "invalid_format":
      if (issue.message === "bad-id")
        return [{ kind: value === "" ? "range" : "id", path, message: "must not be empty" }];
      return [{ kind: "enum", path, values: PROVIDER_KINDS }];
    case "not_multiple_of":
      return [{ kind: "type", path, expected: "int" }];
    case "custom":
      if (issue.message === "empty-map") return [{ kind: "range", path, message: "must have at least one entry" }];
      return [{ kind: "range", path, message: "needs exactly one of 'command' and 'url'" }];
    default:
      return [{ kind: "type", path, expected: "another value" }];
  }
}

/** Chooses the member of a union that the author meant, so that one mistake gives one problem. */
function flattenUnion(
  issue: Issue & { readonly code: "invalid_union" },
  path: ConfigPath,
  value: unknown,
  data: unknown,
): Finding[] {
  const discriminator = (issue as { readonly discriminator?: string }).discriminator;
  if (discriminator !== undefined) {
    const options = ((issue as { readonly options?: readonly unknown[] }).options ?? []).map(String);
    return [
      value === undefined
        ? { kind: "missing", path, expected: options.join(" or ") }
        : { kind: "enum", path, values: options },
    ];
  }
  const members = issue.errors;
  const rootFault = (issues: readonly Issue[]): Issue | undefined =>
    issues.find(
      (inner) => inner.path.length === 0 && (inner.code === "invalid_type" || inner.code === "invalid_value"),
    );
  let fitting = members.filter((issues) => rootFault(issues) === undefined);
  if (fitting.length > 1 && typeof value === "object" && value !== null) {
    const isTyped = (issues: readonly Issue[]): boolean =>
      !issues.some(
        (inner) => inner.code === "unrecognized_keys" && inner.path.length === 0 && inner.keys.includes("type"),
      );
    const isDiscriminated = (issues: readonly Issue[]): boolean =>
      issues.some((inner) => (inner as { readonly discriminator?: string }).discriminator !== undefined);
    const chosen = "type" in value ? fitting.filter(isTyped) : fitting.filter((issues) => !isDiscriminated(issues));
    if (chosen.length > 0) fitting = chosen;
  }
  const best = [...fitting].sort((a, b) => a.length - b.length)[0];
  if (best !== undefined) return best.flatMap((inner) => flatten(inner, path, data));
  const roots = members.map(rootFault).filter((inner) => inner !== undefined);
  const words = roots.flatMap((inner) => (inner.code === "invalid_value" ? inner.values.map(String) : []));
  if (typeof value === "string" && words.length > 0) return [{ kind: "enum", path, values: words }];
  const expected = roots.map((inner) =>
    inner.code === "invalid_type"
      ? inner.expected
      : inner.code === "invalid_value"
        ? inner.values.map(String).join(" or ")
        : "",
  );
  return [{ kind: "type", path, expected: [...new Set(expected.map(typeWord))].join(" or ") }];
}

function rangeMessage(issue: Issue & { readonly code: "too_small" | "too_big" }, value: unknown): string {
  const small = issue.code === "too_small";
  const limit = Number(small ? issue.minimum : issue.maximum);
  if (issue.origin === "string") {
    if (value === "") return "must not be empty";
    return `may have ${small ? "at least" : "at most"} ${limit} characters, not ${String(value).length}`;
  }
  if (issue.origin === "array") {
    const length = Array.isArray(value) ? value.length : 0;
    return length === 0
      ? "must have at least one entry"
      : `may have ${small ? "at least" : "at most"} ${limit} entries, not ${length}`;
  }
  const exclusive = issue.inclusive === false;
  return `must be ${small ? (exclusive ? "above" : "at least") : exclusive ? "below" : "at most"} ${limit}, not ${String(value)}`;
}

function toProblem(
  document: ConfigDocument,
  finding: Finding,
  suggestions: ReadonlyMap<string, readonly string[]>,
  data: unknown,
): Problem {
  const name = pathText(finding.path);
  const make = (code: Code, where: "key" | "value", message: string, details = {}): Problem =>
    makeProblem(
      code,
      where === "key" ? document.keyRange(finding.path) : document.valueRange(finding.path),
      message,
      details,
    );
  switch (finding.kind) {
    case "missing": {
      const parent = pathText(finding.path.slice(0, -1));
      return make(
        "E201",
        "key",
        `'${String(finding.path.at(-1))}' (${typeWord(finding.expected)}) is missing${parent === "" ? "" : ` in ${parent}`}.`,
      );
    }
    case "unknown": {
      const parent = finding.path.slice(0, -1);
      const known = suggestions.get(pathKey(parent)) ?? [];
      // Between { and } a comma ends a text: what follows reads as a key without value.
      const comma =
        finding.key.includes(" ") && valueAt(data, finding.path) === null
          ? " A text with a comma inside { } has to be in quotes."
          : "";
      return make("E206", "key", `'${finding.key}' is not a key of ${pathText(parent) || "a flow file"}.${comma}`, {
        suggestion: nearestName(finding.key, known),
        known,
      });
    }
    case "type":
      return make(
        "E202",
        "value",
        `${name} must be ${article(typeWord(finding.expected))}, not ${foundText(valueAt(data, finding.path), document.sourceText(finding.path), finding.expected)}.`,
      );
    case "enum": {
      const value = valueAt(data, finding.path);
      return make("E207", "value", `${name} is ${JSON.stringify(value)}, which is not one of its words.`, {
        suggestion: typeof value === "string" ? nearestName(value, finding.values) : undefined,
        known: finding.values,
      });
    }
    case "range":
      return make("E208", "value", `${name} ${finding.message}.`);
    case "id":
      return make(
        "E210",
        "value",
        `${name} is ${JSON.stringify(valueAt(data, finding.path))}; an id begins with a letter, then letters, digits, '_' or '-', at most 64 in all.`,
      );
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  int: "whole number",
  boolean: "true or false",
  array: "list",
  object: "map",
  record: "map",
  unknown: "value",
};

function typeWord(type: string): string {
  return TYPE_WORDS[type] ?? type;
}

function article(words: string): string {
  if (/^(true|any)/.test(words)) return words;
  return `${/^[aeiou]/.test(words) ? "an" : "a"} ${words}`;
}

function foundText(value: unknown, source: string | undefined, expected: string): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  const quote =
    expected.includes("string") && (typeof value === "number" || typeof value === "boolean")
      ? "; put it in quotes to keep it as text"
      : "";
  const written = source !== undefined && source !== String(value) ? ` (written ${source})` : "";
  if (typeof value === "number") return `the number ${value}${written}${quote}`;
  if (typeof value === "boolean") return `${value}${written}${quote}`;
  return `the text ${JSON.stringify(value).slice(0, 60)}`;
}

/** `agents[0].role` of a path. */
export function pathText(path: ConfigPath): string {
  return path.map((part, i) => (typeof part === "number" ? `[${part}]` : i === 0 ? part : `.${part}`)).join("");
}

/** The value at a path of plain data, else undefined. */
function valueAt(data: unknown, path: ConfigPath): unknown {
  let value = data;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

/** Known keys for each map with an unknown key, and the missing keys that such a key was meant to be. */
function misspeltKeys(
  findings: readonly Finding[],
  schema: z.ZodType,
  data: unknown,
): { readonly missing: ReadonlySet<string>; readonly suggestions: ReadonlyMap<string, readonly string[]> } {
  const suggestions = new Map<string, readonly string[]>();
  const missing = new Set<string>();
  for (const finding of findings) {
    if (finding.kind !== "unknown") continue;
    const parent = finding.path.slice(0, -1);
    const known = knownKeys(schema, parent, findings, valueAt(data, parent));
    suggestions.set(pathKey(parent), known);
    const near = nearestName(finding.key, known);
    if (near !== undefined) missing.add(pathKey([...parent, near]));
  }
  return { missing, suggestions };
}

/** Keys of the map at `path`, found by walking the schema's own structure. */
function knownKeys(
  schema: z.ZodType,
  path: ConfigPath,
  findings: readonly Finding[],
  value: unknown,
): readonly string[] {
  let shapes: readonly z.core.$ZodType[] = [schema];
  for (const part of path) shapes = shapes.flatMap((shape) => descend(shape, part));
  const keys = new Set<string>();
  const objects = shapes.flatMap(objectsOf).filter((object) => fitsType(object, value));
  for (const object of objects) for (const key of Object.keys(object._zod.def.shape)) keys.add(key);
  for (const finding of findings)
    if (finding.kind === "missing" && pathKey(finding.path.slice(0, -1)) === pathKey(path))
      keys.add(String(finding.path.at(-1)));
  return [...keys];
}

/** Of a union over `type`, only the member of this value's type: other members' keys would be wrong advice. */
function fitsType(object: z.core.$ZodObject, value: unknown): boolean {
  const literal = object._zod.def.shape.type?._zod.def as
    | { readonly type?: string; readonly values?: readonly unknown[] }
    | undefined;
  if (literal?.type !== "literal") return typeof value !== "object" || value === null || !("type" in value);
  return (
    typeof value === "object" &&
    value !== null &&
    (literal.values ?? []).includes((value as { readonly type?: unknown }).type)
  );
}

function objectsOf(schema: z.core.$ZodType): z.core.$ZodObject[] {
  const def = schema._zod.def as z.core.$ZodTypeDef & {
    readonly options?: readonly z.core.$ZodType[];
    readonly innerType?: z.core.$ZodType;
    readonly getter?: () => z.core.$ZodType;
  };
  switch (def.type) {
    case "object":
      return [schema as z.core.$ZodObject];
    case "union":
      return (def.options ?? []).flatMap(objectsOf);
    case "optional":
    case "nullable":
    case "default":
      return def.innerType === undefined ? [] : objectsOf(def.innerType);
    case "lazy":
      return def.getter === undefined ? [] : objectsOf(def.getter());
    default:
      return [];
  }
}

function descend(schema: z.core.$ZodType, part: string | number): z.core.$ZodType[] {
  const def = schema._zod.def as z.core.$ZodTypeDef & {
    readonly options?: readonly z.core.$ZodType[];
    readonly innerType?: z.core.$ZodType;
    readonly getter?: () => z.core.$ZodType;
    readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
    readonly element?: z.core.$ZodType;
    readonly valueType?: z.core.$ZodType;
  };
  switch (def.type) {
    case "object": {
      const inner = def.shape?.[String(part)];
      return inner === undefined ? [] : [inner];
    }
    case "array":
      return def.element === undefined ? [] : [def.element];
    case "record":
      return def.valueType === undefined ? [] : [def.valueType];
    case "union":
      return (def.options ?? []).flatMap((option) => descend(option, part));
    case "optional":
    case "nullable":
    case "default":
      return def.innerType === undefined ? [] : descend(def.innerType, part);
    case "lazy":
      return def.getter === undefined ? [] : descend(def.getter(), part);
    default:
      return [];
  }
}
