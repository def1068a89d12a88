import type { EnvDefinition, PraxisError } from "@praxis/env";
import { z } from "zod";
import { fieldsError, parseLax } from "./lax-parse.ts";

type Json = Readonly<Record<string, unknown>>;

/** True for a plain JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Input JSON Schema of a definition's actions. */
export function actionJsonSchema(definition: EnvDefinition): Json {
  return z.toJSONSchema(definition.schemas.action, { io: "input", unrepresentable: "any" }) as Json;
}

/** The object forms of a JSON Schema: itself, or the members of its top-level union. */
export function objectForms(schema: Json): readonly Json[] {
  const union = schema.oneOf ?? schema.anyOf;
  return Array.isArray(union) ? (union as Json[]).flatMap(objectForms) : [schema];
}

/** True if some form of the actions has a property of that name. */
function declaresProperty(definition: EnvDefinition, name: string): boolean {
  return objectForms(actionJsonSchema(definition)).some(
    (form) => isRecord(form.properties) && Object.hasOwn(form.properties, name),
  );
}

/** Parses actions of one environment. */
export type ActionParser = (action: Record<string, unknown>) => unknown;

/**
 * Makes the parser for an environment's actions. OpenEnv gives every action an optional `metadata` object; it is taken off
 * where the environment does not declare it. The parser throws VALIDATION_ERROR, `loc` relative to the action.
 */
export function makeActionParser(definition: EnvDefinition): ActionParser {
  const schema = definition.schemas.action;
  const keepsMetadata = declaresProperty(definition, "metadata");
  return (action) => {
    if (keepsMetadata || !("metadata" in action)) return parseLax(schema, action);
    const { metadata, ...rest } = action;
    if (metadata !== null && !isRecord(metadata))
      throw fieldsError([
        { type: "dict_type", loc: ["metadata"], msg: "Input should be a valid dictionary", input: metadata },
      ]);
    return parseLax(schema, rest);
  };
}

/** VALIDATION_ERROR for a value that should have been an object. */
export function notAnObject(value: unknown, loc: readonly (string | number)[], parent: unknown): PraxisError {
  return fieldsError([
    value === undefined
      ? { type: "missing", loc, msg: "Field required", input: parent }
      : { type: "dict_type", loc, msg: "Input should be a valid dictionary", input: value },
  ]);
}
