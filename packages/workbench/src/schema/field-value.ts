import { isObject, type JsonSchema, resolveSchema, withoutNull } from "./json-schema.ts";

/** How a field is filled in. */
export type FieldKind = "choice" | "boolean" | "integer" | "number" | "text" | "long-text" | "json";

/** A field of a form. */
export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly kind: FieldKind;
  /** Values of a choice. */
  readonly values: readonly unknown[];
  readonly isRequired: boolean;
  /** May be left out or null. */
  readonly isOptional: boolean;
}

/** Reads a property as a field. */
export function fieldOf(name: string, given: JsonSchema, root: JsonSchema, isRequired: boolean): Field {
  const { inner, isNullable } = withoutNull(resolveSchema(given, root), root);
  const schema = resolveSchema(inner, root);
  const isOptional = !isRequired || isNullable;
  const values = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : null;
  const base = { name, schema, isRequired, isOptional, values: values ?? [] };
  if (values !== null) return { ...base, kind: "choice" };
  if (schema.type === "boolean")
    return isOptional ? { ...base, kind: "choice", values: [true, false] } : { ...base, kind: "boolean" };
  if (schema.type === "integer" || schema.type === "number") return { ...base, kind: schema.type };
  if (schema.type === "string") {
    const isLong = Number(schema.maxLength ?? 0) > 255 || /message|code|rationale|text|raw/.test(name);
    return { ...base, kind: isLong ? "long-text" : "text" };
  }
  return { ...base, kind: "json" };
}

/** Text of a control for a value. */
export function textOf(field: Field, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (field.kind === "choice") return String(field.values.indexOf(value));
  if (field.kind === "json") return JSON.stringify(value);
  return String(value);
}

const rangeOf = ({ minimum, maximum }: JsonSchema): string =>
  typeof minimum === "number" && typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER
    ? `${minimum} to ${maximum}`
    : typeof minimum === "number"
      ? `${minimum} or more`
      : typeof maximum === "number"
        ? `${maximum} or less`
        : "";

/** What the hint below a field says. */
export function hintOf({ kind, schema }: Field): string {
  const kinds: Partial<Record<FieldKind, string>> = { integer: "whole number", number: "number", json: "JSON" };
  const parts = [schema.description, kinds[kind], rangeOf(schema)].filter(
    (part): part is string => typeof part === "string" && part !== "",
  );
  const text = parts.join("; ");
  return text === "" ? "" : `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

/** The value of a control's text: undefined = left out. Throws what is wrong in words. */
export function readField(field: Field, text: string): unknown {
  const { schema, kind, isRequired, isOptional } = field;
  const absent = isRequired && isOptional ? null : undefined;
  if (kind === "boolean") return text === "true";
  if (text.trim() === "" && isOptional) return absent;
  switch (kind) {
    case "choice":
      return field.values[Number(text)];
    case "integer":
    case "number": {
      if (text.trim() === "") throw new Error("Write a number.");
      const value = Number(text);
      if (!Number.isFinite(value)) throw new Error(`'${text}' is not a number.`);
      if (kind === "integer" && !Number.isInteger(value)) throw new Error("Write a whole number.");
      if (kind === "integer" && !Number.isSafeInteger(value)) throw new Error("Write a number of at most 15 digits.");
      const { minimum, maximum } = schema;
      if ((typeof minimum === "number" && value < minimum) || (typeof maximum === "number" && value > maximum))
        throw new Error(`Write ${rangeOf(schema)}.`);
      return value;
    }
    case "text":
    case "long-text": {
      const { minLength, maxLength } = schema;
      if (typeof maxLength === "number" && text.length > maxLength)
        throw new Error(`Write at most ${maxLength} characters.`);
      if (typeof minLength === "number" && text.length < minLength)
        throw new Error(`Write at least ${minLength} ${minLength === 1 ? "character" : "characters"}.`);
      return text;
    }
    case "json": {
      if (text.trim() === "") throw new Error("Write JSON.");
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch (error) {
        throw new Error(`This is not JSON: ${error instanceof Error ? error.message : String(error)}.`);
      }
      if (schema.type === "array" && !Array.isArray(value)) throw new Error("Write a list: [ … ].");
      if (schema.type === "object" && !isObject(value)) throw new Error("Write an object: { … }.");
      return value;
    }
  }
}
