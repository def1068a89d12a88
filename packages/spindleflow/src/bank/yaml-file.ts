import { type FieldError, PraxisError } from "@praxis/env";
import { isNode, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";

/** One thing wrong in a data file, with its place; lines and columns count from 1. */
export interface FileProblem {
  readonly line: number;
  readonly column: number;
  /** As in flow files: E111 syntax, E2xx content. */
  readonly code: string;
  /** The code in words. */
  readonly name: string;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

/** What a problem is called, by its code; the numbers are those of flow files where both know the case. */
const NAMES = {
  E111: "yaml-syntax",
  E120: "not-a-map",
  E201: "missing-key",
  E202: "wrong-type",
  E203: "unknown-specialist",
  E206: "unknown-key",
  E207: "bad-enum",
  E208: "out-of-range",
  E209: "duplicate-id",
  E210: "bad-id",
  E251: "unknown-skill",
} as const;
/** Code of a {@link FileProblem}. */
export type ProblemCode = keyof typeof NAMES;

/** A YAML file of a bank, checked; further checks report what they find by path. */
export interface YamlFile<Value> {
  readonly value: Value;
  /** Notes a problem at the value (or, if there is none, at its nearest parent). */
  problem(code: ProblemCode, path: readonly (string | number)[], message: string): void;
  /** Throws INVALID_CONFIG with every problem noted so far, each with file and line; does nothing if there is none. */
  finish(): void;
}

/**
 * Parses a YAML text under a schema. Throws INVALID_CONFIG that lists all problems as `file:line:column CODE name: message`,
 * sorted by place, in its message, in `fields` and as `details.problems`.
 */
export function readYamlFile<Schema extends z.ZodType>(
  file: string,
  text: string,
  schema: Schema,
): YamlFile<z.output<Schema>> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problems: FileProblem[] = [];
  const at = (offset: number, code: ProblemCode, path: readonly (string | number)[], message: string): void => {
    const { line, col } = lines.linePos(offset);
    problems.push({ line: Math.max(line, 1), column: Math.max(col, 1), code, name: NAMES[code], message, path });
  };
  const problem = (code: ProblemCode, path: readonly (string | number)[], message: string): void => {
    for (let depth = path.length; depth >= 0; depth--) {
      const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
      if (isNode(node) && node.range) {
        at(node.range[0], code, path, message);
        return;
      }
    }
    at(0, code, path, message);
  };
  const finish = (): void => {
    if (problems.length > 0) throw toError(file, problems);
  };

  for (const error of document.errors) at(error.pos[0], "E111", [], error.message);
  finish();
  const parsed = schema.safeParse(document.toJS());
  if (!parsed.success) {
    for (const issue of parsed.error.issues) report(issue, problem);
    finish();
  }
  return { value: parsed.data as z.output<Schema>, problem, finish };
}

type Report = (code: ProblemCode, path: readonly (string | number)[], message: string) => void;

function report(issue: z.core.$ZodIssue, problem: Report): void {
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  const where = path.join(".") || "the file";
  if (issue.code === "unrecognized_keys") {
    for (const key of issue.keys) problem("E206", [...path, key], `${where} has the unknown key '${key}'`);
    return;
  }
  const isMissing = issue.code === "invalid_type" && issue.message.includes("received undefined");
  if (isMissing) problem("E201", path, `${where} is missing; a value of type ${issue.expected} is needed`);
  else problem(codeOf(issue, path.length), path, `${where}: ${issue.message}`);
}

function codeOf(issue: z.core.$ZodIssue, depth: number): ProblemCode {
  switch (issue.code) {
    case "invalid_type":
      return depth === 0 ? "E120" : "E202";
    case "invalid_value":
      return "E207";
    case "invalid_format":
      return "E210";
    default:
      return "E208";
  }
}

function toError(file: string, problems: readonly FileProblem[]): PraxisError {
  const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  const lines = sorted.map((p) => `${file}:${p.line}:${p.column} ${p.code} ${p.name}: ${p.message}`);
  const fields = sorted.map((p): FieldError => ({ type: p.name, loc: p.path, msg: p.message }));
  return new PraxisError("INVALID_CONFIG", lines.join("\n"), { fields, details: { file, problems: sorted } });
}
