import { el, isRecord, words } from "./element.js";

/** Follows local references of a JSON Schema and unites `allOf`. */
export function resolve(schema, root) {
  let current = schema ?? {};
  for (let depth = 0; depth < 16 && typeof current.$ref === "string"; depth++) {
    const target = current.$ref
      .replace(/^#\/?/, "")
      .split("/")
      .filter(Boolean)
      .reduce((node, key) => node?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], root);
    const { $ref, ...rest } = current;
    current = { ...target, ...rest };
  }
  return current;
}

/** The schema without "or null", and whether null is allowed. */
export function withoutNull(schema, root) {
  const branches = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(branches)) return { inner: schema, nullable: false };
  const rest = branches.map((branch) => resolve(branch, root)).filter((branch) => branch.type !== "null");
  if (rest.length !== 1 || rest.length === branches.length) return { inner: schema, nullable: false };
  const { anyOf, oneOf, ...outer } = schema;
  return { inner: { ...rest[0], ...outer }, nullable: true };
}

/** A value that fits the schema, roughly: for prefilled fields and as an example. */
export function example(given, root, depth = 0) {
  const schema = resolve(given, root);
  if ("default" in schema) return schema.default;
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches) && branches.length > 0) return example(branches[0], root, depth);
  if (depth > 4) return null;
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((key) => [key, example(schema.properties?.[key] ?? {}, root, depth + 1)]),
      );
    case "array":
      return Array.from({ length: Math.min(schema.minItems ?? 1, 3) || 1 }, () =>
        example(schema.items ?? {}, root, depth + 1),
      );
    case "integer":
    case "number":
      return Math.max(
        schema.minimum ?? 0,
        (schema.exclusiveMinimum ?? -1) + (schema.exclusiveMinimum === undefined ? 0 : 1),
      );
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return schema.type === "string" ? "text" : {};
  }
}

const range = ({ minimum, maximum }) => {
  // Limits of exact integers say nothing to a reader.
  const low = minimum !== undefined && minimum > -1e15 ? minimum : undefined;
  const high = maximum !== undefined && maximum < 1e15 ? maximum : undefined;
  if (low !== undefined && high !== undefined) return `${low} to ${high}`;
  return low !== undefined ? `${low} or more` : high !== undefined ? `${high} or less` : "";
};

const sentence = (hints) => {
  const text = hints.filter(Boolean).join("; ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

let nextField = 0;

/** One field (`isTagged`: say so if it may be left out): its element, `get()` → value or undefined for "left out" (throws what is wrong as text), `set(value)`. */
export function makeField(name, given, root, { required, isTagged }) {
  const { inner, nullable } = withoutNull(resolve(given, root), root);
  const schema = resolve(inner, root);
  const id = `f${nextField++}-${name}`;
  const errorId = `${id}-error`;
  const hintId = `${id}-hint`;
  const hints = [];
  const may = !required || nullable;
  const attributes = { id, name, "aria-describedby": `${hintId} ${errorId}`, "aria-required": !may };
  const absent = () => (required && nullable ? null : undefined);
  let control;
  let get;
  let set;
  const options = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : null;
  if (options !== null || (schema.type === "boolean" && may)) {
    const values = options ?? [true, false];
    const text = (value) => (typeof value === "boolean" ? (value ? "yes" : "no") : String(value ?? "none"));
    control = el(
      "select",
      attributes,
      may ? el("option", { value: "" }, "not set") : null,
      values.map((value, index) => el("option", { value: index }, text(value))),
    );
    get = () => (control.value === "" ? absent() : values[Number(control.value)]);
    set = (value) => {
      const index = values.indexOf(value);
      control.value = index === -1 ? (may ? "" : "0") : String(index);
    };
    set(schema.default);
  } else if (schema.type === "boolean") {
    control = el("input", { ...attributes, type: "checkbox" });
    get = () => control.checked;
    set = (value) => {
      control.checked = value === true;
    };
    set(schema.default);
  } else if (schema.type === "integer" || schema.type === "number") {
    hints.push(schema.type === "integer" ? "whole number" : "number", range(schema));
    control = el("input", { ...attributes, type: "text", inputmode: "decimal", autocomplete: "off" });
    get = () => {
      const text = control.value.trim();
      if (text === "") {
        if (may) return absent();
        throw new Error("Write a number.");
      }
      const value = Number(text);
      if (!Number.isFinite(value)) throw new Error(`'${text}' is not a number.`);
      if (schema.type === "integer" && !Number.isInteger(value)) throw new Error("Write a whole number.");
      if (value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity))
        throw new Error(`Write ${range(schema)}.`);
      return value;
    };
    set = (value) => {
      control.value = value ?? "";
    };
    set(schema.default ?? (may ? undefined : example(schema, root)));
  } else if (schema.type === "string") {
    const isLong = (schema.maxLength ?? 0) > 255 || /message|code|rationale|text|raw/.test(name);
    control = isLong
      ? el("textarea", { ...attributes, rows: 3 })
      : el("input", { ...attributes, type: "text", autocomplete: "off" });
    get = () => {
      if (control.value === "" && may) return absent();
      if (control.value.length > (schema.maxLength ?? Infinity))
        throw new Error(`Write at most ${schema.maxLength} characters.`);
      if (control.value.length < (schema.minLength ?? 0))
        throw new Error(`Write at least ${schema.minLength} characters.`);
      return control.value;
    };
    set = (value) => {
      control.value = value ?? "";
    };
    set(schema.default);
  } else {
    const sample = JSON.stringify(example(schema, root));
    hints.push(`JSON, for example ${sample.length > 120 ? `${sample.slice(0, 120)}…` : sample}`);
    control = el("textarea", { ...attributes, rows: 3, class: "json", spellcheck: "false" });
    get = () => {
      const text = control.value.trim();
      if (text === "") {
        if (may) return absent();
        throw new Error("Write JSON.");
      }
      let value;
      try {
        value = JSON.parse(text);
      } catch (error) {
        throw new Error(`This is not JSON: ${error.message}.`);
      }
      if (schema.type === "array" && !Array.isArray(value)) throw new Error("Write a list: [ … ].");
      if (schema.type === "object" && !isRecord(value)) throw new Error("Write an object: { … }.");
      return value;
    };
    set = (value) => {
      control.value = value === undefined || value === null ? "" : JSON.stringify(value);
    };
    set(
      schema.default ??
        (may ? undefined : schema.type === "array" && !(schema.minItems > 0) ? [] : example(schema, root)),
    );
  }
  if (schema.description) hints.unshift(schema.description);
  const error = el("p", { id: errorId, class: "field-error" });
  const label = el(
    "label",
    { for: id },
    schema.title && schema.title !== name ? schema.title : words(name),
    may && isTagged ? el("span", { class: "quiet" }, " optional") : null,
  );
  const hint = el("p", { id: hintId, class: "hint" }, sentence(hints));
  const isCheck = control.type === "checkbox";
  return {
    name,
    required,
    control,
    element: el(
      "div",
      { class: isCheck ? "field check" : control.localName === "textarea" ? "field wide" : "field" },
      ...(isCheck ? [control, label] : [label, control]),
      hint,
      error,
    ),
    get,
    set,
    fail(message) {
      error.textContent = message;
      control.setAttribute("aria-invalid", message !== "");
    },
  };
}
