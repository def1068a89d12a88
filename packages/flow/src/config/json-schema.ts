import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";

/** A compiled schema: null when the value fits, else what does not, in words. */
export type JsonCheck = (value: unknown) => string | null;

const compiled = new WeakMap<object, JsonCheck>();

function makeAjv(strict: boolean): Ajv2020 {
  return new Ajv2020({
    strict,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
    addUsedSchema: false,
  });
}

function bare(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // "$schema" of another draft would be refused although the keywords in use are the same.
  const { $schema: _, ...rest } = schema;
  return rest;
}

/** Null for a valid JSON Schema, else the place inside it (path of keys) and what is wrong. */
export function findSchemaFault(
  schema: Readonly<Record<string, unknown>>,
): { readonly path: readonly string[]; readonly message: string } | null {
  const ajv = makeAjv(true);
  if (ajv.validateSchema(bare(schema)) !== true) {
    const error = mostPrecise(ajv.errors ?? []);
    return { path: pointerPath(error?.instancePath ?? ""), message: wording(error) };
  }
  try {
    ajv.compile(bare(schema));
    return null;
  } catch (error) {
    return { path: [], message: (error as Error).message };
  }
}

/** Checker of a schema; made once per schema object. @throws Error for a schema that is not valid */
export function compileJsonSchema(schema: Readonly<Record<string, unknown>>): JsonCheck {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  // Schemas of tools come from elsewhere: words of other dialects in them are passed over.
  const validate = makeAjv(false).compile(bare(schema));
  const check: JsonCheck = (value) => {
    if (validate(value) === true) return null;
    const texts = (validate.errors ?? [])
      .slice(0, 5)
      .map((error) => `${error.instancePath === "" ? "the value" : error.instancePath} ${wording(error)}`);
    return texts.join("; ");
  };
  compiled.set(schema, check);
  return check;
}

function mostPrecise(errors: readonly ErrorObject[]): ErrorObject | undefined {
  // anyOf and its kin repeat the fault of their members: the deepest place says most.
  return (
    [...errors]
      .filter((error) => !["anyOf", "oneOf", "allOf"].includes(error.keyword))
      .sort((a, b) => b.instancePath.length - a.instancePath.length)[0] ?? errors[0]
  );
}

function wording(error: ErrorObject | undefined): string {
  if (error === undefined) return "is not valid";
  const { keyword, params, message } = error;
  if (keyword === "enum")
    return `must be one of ${(params as { allowedValues: readonly unknown[] }).allowedValues.map((value) => JSON.stringify(value)).join(", ")}`;
  if (keyword === "additionalProperties")
    return `must not have the key '${(params as { additionalProperty: string }).additionalProperty}'`;
  return message ?? "is not valid";
}

function pointerPath(pointer: string): string[] {
  return pointer === ""
    ? []
    : pointer
        .slice(1)
        .split("/")
        .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}
