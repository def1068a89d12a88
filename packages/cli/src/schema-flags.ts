import { didYouMean, PraxisError } from "@praxis/env";
import { z } from "zod";

interface Property {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly anyOf?: readonly Property[];
  readonly items?: Property;
}

const kebab = (name: string): string =>
  name.replaceAll("_", "-").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const typeOf = (property: Property): string | undefined =>
  property.type ?? property.anyOf?.find((part) => part.type !== "null")?.type;
const properties = (schema: z.ZodObject): [string, Property][] =>
  Object.entries(
    (z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }).properties ?? {}) as Record<string, Property>,
  );

/** Turns texts into what the schema wants and parses; throws VALIDATION_ERROR or UNKNOWN_NAME naming flag, value and choices. */
function parseFlags<Schema extends z.ZodObject>(
  schema: Schema,
  flags: Readonly<Record<string, unknown>>,
): z.infer<Schema> {
  const known = new Map(properties(schema));
  const input: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(flags)) {
    const property = known.get(name);
    if (property === undefined)
      throw new PraxisError("UNKNOWN_NAME", `Unknown option '--${kebab(name)}'.${didYouMean(name, known.keys())}`);
    if (given !== undefined) input[name] = fromText(given, typeOf(property));
  }
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const name = String(issue.path[0] ?? "");
  throw new PraxisError(
    "VALIDATION_ERROR",
    `Option '--${kebab(name)}': ${JSON.stringify(flags[name])} is not accepted. ${issue.message}.`,
  );
}

function fromText(given: unknown, type: string | undefined): unknown {
  if (typeof given !== "string") return given;
  if ((type === "integer" || type === "number") && given.trim() !== "" && !Number.isNaN(Number(given)))
    return Number(given);
  if (type === "boolean" && (given === "true" || given === "false")) return given === "true";
  if (type === "array" && given.startsWith("[")) return parseList(given);
  return given;
}

/** A JSON list; what is none stays text, for the schema to refuse. */
function parseList(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

/** Names of the flags that a schema has. */
export function flagNames(schema: z.ZodObject): string[] {
  return Object.keys(schema.shape).map((name) => `--${kebab(name)}`);
}

/** What {@link parseRest} reads, without the defaults of what was not said. */
export function parseGiven<Schema extends z.ZodObject>(
  schema: Schema,
  rest: readonly string[],
): Partial<z.infer<Schema>> {
  const parsed: Readonly<Record<string, unknown>> = parseRest(schema, rest);
  const said = rest.filter((word) => word.startsWith("--")).map((word) => word.slice(2).split("=", 1)[0]);
  return Object.fromEntries(Object.entries(parsed).filter(([name]) => said.includes(kebab(name)))) as Partial<
    z.infer<Schema>
  >;
}

/** Reads `--kebab-name value` pairs that commander left over, by a schema that was not known when flags were declared. */
export function parseRest<Schema extends z.ZodObject>(schema: Schema, rest: readonly string[]): z.infer<Schema> {
  const known = properties(schema);
  const flags: Record<string, unknown> = {};
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i]!;
    if (!word.startsWith("--")) throw new PraxisError("UNKNOWN_NAME", `Unexpected argument '${word}'.`);
    const [flag = "", inline] = word.slice(2).split("=", 2);
    const found = known.find(([name]) => kebab(name) === flag);
    if (found === undefined)
      throw new PraxisError(
        "UNKNOWN_NAME",
        `Unknown option '--${flag}'.${didYouMean(
          flag,
          known.map(([name]) => kebab(name)),
        )}`,
      );
    const [name, property] = found;
    if (inline !== undefined) flags[name] = inline;
    else if (typeOf(property) === "boolean") flags[name] = true;
    else {
      const value = rest[++i];
      if (value === undefined) throw new PraxisError("VALIDATION_ERROR", `Option '--${flag}' needs a value.`);
      flags[name] = value;
    }
  }
  return parseFlags(schema, flags);
}
