/** Functions of the expression language. `history("id")` gives the records of a step, oldest first. */
export const FUNCTIONS = [
  "len",
  "lower",
  "upper",
  "json",
  "first",
  "last",
  "count",
  "default",
  "split",
  "join",
  "history",
] as const;

/** Name of a function. */
export type FunctionName = (typeof FUNCTIONS)[number];

/** Operators that compare. */
export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "contains" | "matches";

/** Parsed expression; `at` and `end` are offsets in its text. */
export type Expression = { readonly at: number; readonly end: number } & (
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "path"; readonly root: string; readonly steps: readonly (string | number)[] }
  | { readonly kind: "call"; readonly name: FunctionName; readonly args: readonly Expression[] }
  | { readonly kind: "not"; readonly operand: Expression }
  | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "arithmetic"; readonly operator: "+" | "-"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "compare"; readonly operator: Comparison; readonly left: Expression; readonly right: Expression }
);

/** A piece of a template: text as it is, or a value to put in. */
export type TemplatePart = { readonly text: string } | { readonly expression: Expression; readonly source: string };

/** A parsed template. */
export type Template = readonly TemplatePart[];

/** Where parsing stopped, as offset in the text, and why. */
export interface SyntaxFault {
  readonly at: number;
  readonly end: number;
  readonly message: string;
}

/** Visits every node, parents first. */
export function visitExpression(node: Expression, visit: (node: Expression) => void): void {
  visit(node);
  switch (node.kind) {
    case "literal":
    case "path":
      return;
    case "call":
      for (const argument of node.args) visitExpression(argument, visit);
      return;
    case "not":
      visitExpression(node.operand, visit);
      return;
    case "and":
    case "or":
    case "arithmetic":
    case "compare":
      visitExpression(node.left, visit);
      visitExpression(node.right, visit);
      return;
  }
}
