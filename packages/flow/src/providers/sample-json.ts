type Schema = Readonly<Record<string, unknown>>;

/**
 * A value that fits a JSON Schema, made from words of the task: the smallest lists, the first allowed words, numbers in
 * the middle of their range. Keywords that can't be met by construction (`not`, `pattern`) are left alone.
 */
export function sampleJson(schema: Schema, words: readonly string[]): unknown {
  let next = 0;
  const word = (): string => words[next++ % Math.max(1, words.length)] ?? "item";
  const visit = (node: unknown, depth: number, name: string): unknown => {
    if (typeof node !== "object" || node === null) return word();
    const here = resolve(schema, node as Schema);
    if ("const" in here) return here.const;
    if (Array.isArray(here.enum)) return here.enum[0] as unknown;
    if ("default" in here) return here.default;
    const union = (here.anyOf ?? here.oneOf) as readonly unknown[] | undefined;
    if (Array.isArray(union) && union.length > 0)
      return visit({ ...here, anyOf: undefined, oneOf: undefined, ...(union[0] as Schema) }, depth + 1, name);
    if (Array.isArray(here.allOf))
      return visit(Object.assign({}, { ...here, allOf: undefined }, ...(here.allOf as Schema[])), depth + 1, name);
    const type = Array.isArray(here.type) ? (here.type as unknown[])[0] : here.type;
    switch (type) {
      case "object":
        return object(here, depth);
      case "array": {
        const count = Math.max(Number(here.minItems ?? 0), depth > 4 ? 0 : 2);
        const most = here.maxItems === undefined ? count : Math.min(count, Number(here.maxItems));
        return Array.from({ length: most }, () => visit(here.items ?? { type: "string" }, depth + 1, name));
      }
      case "boolean":
        return true;
      case "null":
        return null;
      case "integer":
      case "number":
        return sampleNumber(here, type === "integer");
      case "string":
        return sampleString(here, name, word);
      default:
        return here.properties === undefined ? word() : object(here, depth);
    }
  };
  const object = (here: Schema, depth: number): Record<string, unknown> => {
    const properties = (here.properties ?? {}) as Readonly<Record<string, unknown>>;
    const required = Array.isArray(here.required) ? (here.required as string[]) : [];
    const keys = depth > 4 ? required : [...new Set([...Object.keys(properties), ...required])];
    return Object.fromEntries(keys.map((key) => [key, visit(properties[key] ?? { type: "string" }, depth + 1, key)]));
  };
  return visit(schema, 0, "");
}

function resolve(root: Schema, node: Schema): Schema {
  const reference = node.$ref;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return node;
  let target: unknown = root;
  for (const part of reference.slice(2).split("/"))
    target = (target as Schema | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  return typeof target === "object" && target !== null ? (target as Schema) : node;
}

function sampleNumber(here: Schema, whole: boolean): number {
  const low = Number(
    here.minimum ?? (here.exclusiveMinimum === undefined ? 0 : Number(here.exclusiveMinimum) + (whole ? 1 : 0.5)),
  );
  const high = Number(
    here.maximum ?? (here.exclusiveMaximum === undefined ? low + 2 : Number(here.exclusiveMaximum) - (whole ? 1 : 0.5)),
  );
  const middle = (low + high) / 2;
  return whole ? Math.floor(middle) : middle;
}

function sampleString(here: Schema, name: string, word: () => string): string {
  if (here.format === "date") return "2026-01-15";
  if (here.format === "date-time") return "2026-01-15T09:00:00Z";
  let text = name === "" ? word() : `${name.replace(/[_-]/g, " ")}: ${word()} ${word()}`;
  while (text.length < Number(here.minLength ?? 0)) text += ` ${word()}`;
  return text.slice(0, Number(here.maxLength ?? 200));
}
