interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** Schemas refer to themselves; nothing that a server accepts has to be deeper. */
const MAX_DEPTH = 8;
/** Most branches tried of one union. */
const MAX_BRANCHES = 24;

function resolveRef(root: Schema, reference: string): Schema {
  let value: unknown = root;
  for (const part of reference
    .replace(/^#\/?/, "")
    .split("/")
    .filter((each) => each !== "")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return typeof value === "object" && value !== null ? (value as Schema) : {};
}

function lowest(schema: Schema, step: number): number {
  const low = schema.minimum ?? (schema.exclusiveMinimum === undefined ? 0 : schema.exclusiveMinimum + step);
  return schema.maximum === undefined ? low : Math.min(low, schema.maximum);
}

function sample(schema: Schema, root: Schema, depth: number): unknown {
  if (depth > MAX_DEPTH) return null;
  if (schema.$ref !== undefined) return sample(resolveRef(root, schema.$ref), root, depth + 1);
  if ("const" in schema) return schema.const;
  if (schema.examples !== undefined && schema.examples.length > 0) return schema.examples[0];
  if ("default" in schema) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  const branch = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (branch !== undefined) return sample(branch, root, depth + 1);
  if (schema.allOf !== undefined)
    return Object.assign({}, ...schema.allOf.map((part) => sample(part, root, depth + 1) ?? {})) as unknown;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "string":
      return "x".repeat(Math.max(1, schema.minLength ?? 1));
    case "integer":
      return Math.ceil(lowest(schema, 1));
    case "number":
      return lowest(schema, 0.5);
    case "boolean":
      return true;
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => sample(schema.items ?? {}, root, depth + 1));
    case "null":
      return null;
    default: {
      const required = new Set(schema.required ?? []);
      const entries = Object.entries(schema.properties ?? {}).filter(([name]) => required.has(name));
      return Object.fromEntries(entries.map(([name, property]) => [name, sample(property, root, depth + 1)]));
    }
  }
}

/**
 * Values that fit a JSON Schema as far as a simple reading goes (patterns and formats aside): one for each branch of a union
 * at the top, required fields only, the smallest legal numbers.
 */
export function sampleJson(schema: unknown): unknown[] {
  if (typeof schema !== "object" || schema === null) return [];
  const root = schema as Schema;
  const top = root.$ref === undefined ? root : resolveRef(root, root.$ref);
  const branches = top.anyOf ?? top.oneOf ?? [top];
  return branches.slice(0, MAX_BRANCHES).map((branch) => sample(branch, root, 0));
}
