import type { Tool } from "./tool.ts";

/** Computes arithmetic with + − * / % ^ and brackets; nothing else is understood. */
export const calculator: Tool = {
  name: "calculator",
  description:
    "Computes an arithmetic expression with + - * / % ^ ( ) and decimal numbers, such as (3 + 4) * 2^8 / 1.5.",
  inputSchema: {
    type: "object",
    properties: { expression: { type: "string", minLength: 1, maxLength: 1_000 } },
    required: ["expression"],
    additionalProperties: false,
  },
  approval: "never",
  idempotent: true,
  async execute(input) {
    const { expression } = input as { readonly expression: string };
    const result = compute(expression);
    return typeof result === "number" ? { ok: true, content: String(result) } : { ok: false, content: result.fault };
  },
};

/** Value of an arithmetic expression, or what is wrong with it. */
export function compute(text: string): number | { readonly fault: string } {
  const tokens = text.match(/\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+|[-+*/%^()]|\S/g) ?? [];
  let next = 0;
  let depth = 0;
  const fail = (fault: string): never => {
    throw new SyntaxError(fault);
  };
  const sum = (): number => {
    let value = product();
    while (tokens[next] === "+" || tokens[next] === "-")
      value = tokens[next++] === "+" ? value + product() : value - product();
    return value;
  };
  const product = (): number => {
    let value = unary();
    while (tokens[next] === "*" || tokens[next] === "/" || tokens[next] === "%") {
      const operator = tokens[next++];
      const right = unary();
      if (operator !== "*" && right === 0) fail("Division by zero.");
      value = operator === "*" ? value * right : operator === "/" ? value / right : value % right;
    }
    return value;
  };
  // As in mathematics, −2^2 is −4: the power binds closer than the sign.
  const unary = (): number => {
    if (++depth > 200) fail("The expression is nested too deeply.");
    try {
      if (tokens[next] === "-") {
        next++;
        return -unary();
      }
      if (tokens[next] === "+") {
        next++;
        return unary();
      }
      const base = primary();
      if (tokens[next] !== "^") return base;
      next++;
      return base ** unary();
    } finally {
      depth--;
    }
  };
  const primary = (): number => {
    const token = tokens[next++];
    if (token === undefined) return fail("The expression ends where a number is expected.");
    if (token === "(") {
      const value = sum();
      if (tokens[next++] !== ")") fail("')' is missing.");
      return value;
    }
    const value = Number(token);
    return /^[\d.]/.test(token) && Number.isFinite(value) ? value : fail(`'${token}' is not a number.`);
  };
  try {
    const value = sum();
    if (next < tokens.length) fail(`'${tokens[next]}' is not expected here.`);
    return Number.isFinite(value) ? value : { fault: "The result is too large." };
  } catch (error) {
    if (error instanceof SyntaxError) return { fault: error.message };
    throw error;
  }
}
