/** A JSON Schema as servers publish it. */
export interface JsonSchema {
  readonly [key: string]: unknown;
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** True for objects that are no arrays. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Follows local references; a schema that refers to itself ends where it began. */
export function resolveSchema(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let at = schema;
  for (let hops = 0; hops < 16 && typeof at.$ref === "string"; hops++) {
    const path = at.$ref.replace(/^#\//, "").split("/");
    let target: unknown = root;
    for (const part of path)
      target = isObject(target) ? target[part.replace(/~1/g, "/").replace(/~0/g, "~")] : undefined;
    if (!isObject(target)) return {};
    at = target as JsonSchema;
  }
  return at;
}

const branchesOf = (schema: JsonSchema): readonly JsonSchema[] | null => {
  const branches = schema.anyOf ?? schema.oneOf;
  return Array.isArray(branches) ? (branches as JsonSchema[]) : null;
};

/** A schema without its null branch, and whether it had one. */
export function withoutNull(
  schema: JsonSchema,
  root: JsonSchema,
): { readonly inner: JsonSchema; readonly isNullable: boolean } {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== "null");
    return { inner: { ...schema, type: types[0] }, isNullable: types.length < schema.type.length };
  }
  const branches = branchesOf(schema);
  if (branches === null) return { inner: schema, isNullable: false };
  const rest = branches.map((branch) => resolveSchema(branch, root)).filter((branch) => branch.type !== "null");
  const isNullable = rest.length < branches.length;
  return rest.length === 1 ? { inner: { ...rest[0], ...own(schema) }, isNullable } : { inner: schema, isNullable };
}

/** What a schema says itself beside its branches: title, description and default. */
function own(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => ["title", "description", "default"].includes(key)),
  );
}

/** Parts of the top level of a schema that is a union: one form each. */
export function variantsOf(schema: JsonSchema): readonly JsonSchema[] {
  const { inner } = withoutNull(resolveSchema(schema, schema), schema);
  const all = branchesOf(inner)?.map((branch) => resolveSchema(branch, schema)) ?? [inner];
  const objects = all.filter((branch) => branch.type === "object" || branch.properties !== undefined);
  return objects.length > 0 ? objects : [{ type: "object", properties: {} }];
}

/** A value that fits, for hints and first values. */
export function exampleOf(given: JsonSchema, root: JsonSchema, depth = 0): unknown {
  const { inner } = withoutNull(resolveSchema(given, root), root);
  if (inner.default !== undefined) return inner.default;
  if ("const" in inner) return inner.const;
  if (Array.isArray(inner.enum)) return inner.enum[0];
  switch (inner.type) {
    case "integer":
    case "number":
      return typeof inner.minimum === "number" ? inner.minimum : 0;
    case "boolean":
      return false;
    case "string":
      return "";
    case "array":
      return depth < 3 && isObject(inner.items) ? [exampleOf(inner.items as JsonSchema, root, depth + 1)] : [];
    default:
      return Object.fromEntries(
        Object.entries(inner.properties ?? {})
          .filter(([name]) => depth < 3 && (inner.required ?? []).includes(name))
          .map(([name, property]) => [name, exampleOf(property, root, depth + 1)]),
      );
  }
}
