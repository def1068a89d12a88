import { type Expression, type SyntaxFault, visitExpression } from "../../expression/ast.ts";
import { parseExpression, parseTemplate } from "../../expression/parse.ts";
import type { ConfigDocument, ConfigPath } from "../document.ts";
import { nearestName } from "../nearest.ts";
import { pathText } from "../schema-problems.ts";
import type { Names } from "./collect.ts";

/** What an expression may name at its place. */
export interface Visible {
  readonly steps: ReadonlySet<string>;
  readonly vars: ReadonlySet<string>;
  /** Names beside the fixed roots: the item of a foreach. */
  readonly items: readonly string[];
}

/** Nothing has run yet. */
export const NOTHING: Visible = { steps: new Set(), vars: new Set(), items: [] };

/** The union of two views. */
export function joinVisible(a: Visible, b: Pick<Visible, "steps" | "vars">): Visible {
  return { steps: new Set([...a.steps, ...b.steps]), vars: new Set([...a.vars, ...b.vars]), items: a.items };
}

const ROOTS = ["input", "outputs", "run", "iteration", "vars"];

/** Checks an expression: its form (E231) and the steps it names (E232). Other types are left to the schema. */
export function checkExpression(
  names: Names,
  document: ConfigDocument,
  path: ConfigPath,
  text: unknown,
  visible: Visible,
  allSteps: ReadonlySet<string>,
): void {
  if (typeof text !== "string" || text === "") return;
  const parsed = parseExpression(text);
  if ("fault" in parsed) reportFault(names, document, path, parsed.fault);
  else checkNames(names, document, path, parsed.expression, 0, visible, allSteps);
}

/** Checks the expressions inside a template. */
export function checkTemplate(
  names: Names,
  document: ConfigDocument,
  path: ConfigPath,
  text: unknown,
  visible: Visible,
  allSteps: ReadonlySet<string>,
): void {
  if (typeof text !== "string") return;
  const parsed = parseTemplate(text);
  if ("fault" in parsed) {
    reportFault(names, document, path, parsed.fault);
    return;
  }
  let from = 0;
  for (const part of parsed.template) {
    if ("text" in part) continue;
    // Offsets of a part count from after its braces.
    const open = text.indexOf("{{", from);
    checkNames(names, document, path, part.expression, open + 2, visible, allSteps);
    from = open + 2 + part.source.length;
  }
}

function reportFault(names: Names, document: ConfigDocument, path: ConfigPath, fault: SyntaxFault): void {
  names.report(
    "E231",
    document.insideRange(path, fault.at, fault.end),
    `${pathText(path)}, column ${fault.at + 1}: ${fault.message}`,
  );
}

function checkNames(
  names: Names,
  document: ConfigDocument,
  path: ConfigPath,
  expression: Expression,
  shift: number,
  visible: Visible,
  allSteps: ReadonlySet<string>,
): void {
  visitExpression(expression, (node) => {
    const range = document.insideRange(path, node.at + shift, node.end + shift);
    if (node.kind === "call" && node.name === "history") {
      const argument = node.args[0];
      if (argument?.kind === "literal" && !allSteps.has(String(argument.value)))
        reportStep(names, range, path, String(argument.value), visible, allSteps);
      return;
    }
    if (node.kind !== "path") return;
    if (visible.items.includes(node.root)) return;
    const roots = [...ROOTS, ...visible.items];
    if (!ROOTS.includes(node.root)) {
      names.report(
        "E231",
        range,
        `${pathText(path)}: '${node.root}' is not a value here; a text is written in quotes.`,
        { suggestion: nearestName(node.root, roots), known: roots },
      );
      return;
    }
    const first = node.steps[0];
    if (node.root === "outputs" && first !== undefined && !visible.steps.has(String(first)))
      reportStep(names, range, path, String(first), visible, allSteps);
    if (node.root === "vars" && first !== undefined && !visible.vars.has(String(first)))
      names.report("E232", range, `${pathText(path)} names vars.${first}, which no earlier step saves.`, {
        suggestion: nearestName(String(first), visible.vars),
        known: [...visible.vars],
      });
  });
}

function reportStep(
  names: Names,
  range: ReturnType<ConfigDocument["valueRange"]>,
  path: ConfigPath,
  id: string,
  visible: Visible,
  allSteps: ReadonlySet<string>,
): void {
  const why = allSteps.has(id) ? "which can only run later or in another branch" : "which is not a step";
  names.report("E232", range, `${pathText(path)} names the step "${id}", ${why}.`, {
    suggestion: nearestName(id, visible.steps),
    known: [...visible.steps],
  });
}
