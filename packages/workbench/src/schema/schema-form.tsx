import { type FormEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { words } from "../ui/text.ts";
import { type Field, fieldOf, hintOf, readField, textOf } from "./field-value.ts";
import { exampleOf, type JsonSchema, resolveSchema, variantsOf } from "./json-schema.ts";

/** What fields are filled with from outside; a new object fills them anew. */
export type FormValues = Readonly<Record<string, unknown>>;

const isFixed = (property: JsonSchema): boolean => "const" in property;

/** What tells one form of a union from the others: its title, a constant of its own, or its first fields. */
function variantName(variant: JsonSchema, variants: readonly JsonSchema[]): string {
  if (typeof variant.title === "string") return words(variant.title);
  const properties = Object.entries(variant.properties ?? {});
  const own = properties.find(
    ([key, property]) =>
      typeof property.const === "string" && variants.some((other) => other.properties?.[key]?.const !== property.const),
  );
  if (typeof own?.[1].const === "string") return words(own[1].const);
  const names = properties
    .filter(([key, property]) => !isFixed(property) && key !== "metadata")
    .map(([key]) => words(key));
  return names.length > 3 ? `${names.slice(0, 3).join(", ")} …` : names.join(", ") || "Empty";
}

/**
 * A form for an object schema. Constants are sent without a field. Wrong fields are named before anything is sent; fields
 * that the server refused are marked by `refused`.
 */
export function SchemaForm({
  schema,
  values,
  refused = [],
  onSubmit,
  children,
  label,
}: {
  readonly schema: JsonSchema;
  readonly values: FormValues | null;
  readonly refused?: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
  onSubmit(value: Readonly<Record<string, unknown>>): void;
  /** The buttons. */
  readonly children: ReactNode;
  readonly label: string;
}) {
  const id = useId();
  const variants = useMemo(() => variantsOf(schema), [schema]);
  const [chosen, setChosen] = useState(0);
  const variant = variants[Math.min(chosen, variants.length - 1)]!;
  const fields = useMemo(() => {
    const required = variant.required ?? [];
    return Object.entries(variant.properties ?? {})
      .filter(([name]) => name !== "metadata")
      .map(([name, property]) => [name, resolveSchema(property, schema)] as const)
      .filter(([name, property]) => !(isFixed(property) && required.includes(name)))
      .map(([name, property]) => fieldOf(name, property, schema, required.includes(name)));
  }, [variant, schema]);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    setTexts(
      Object.fromEntries(
        fields.map((field) => {
          const given = values?.[field.name];
          const first =
            given ?? field.schema.default ?? (field.isOptional ? undefined : exampleOf(field.schema, schema));
          return [field.name, field.kind === "boolean" ? String(first === true) : textOf(field, first)];
        }),
      ),
    );
    setWrong({});
  }, [fields, values, schema]);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const found: Record<string, string> = {};
    const value: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(variant.properties ?? {}))
      if (isFixed(property) && (variant.required ?? []).includes(name)) value[name] = property.const;
    for (const field of fields) {
      try {
        const read = readField(field, texts[field.name] ?? "");
        if (read !== undefined) value[field.name] = read;
      } catch (error) {
        found[field.name] = error instanceof Error ? error.message : String(error);
      }
    }
    setWrong(found);
    const [first] = Object.keys(found);
    if (first === undefined) onSubmit(value);
    else {
      const control = form.current?.elements.namedItem(first);
      if (control instanceof HTMLElement) {
        for (let at = control.closest("details"); at !== null; at = at.parentElement?.closest("details") ?? null)
          at.open = true;
        control.focus();
      }
    }
  };

  const refusedField = (name: string): string | undefined => refused.find(({ path }) => path.includes(name))?.message;
  const show = (field: Field) => (
    <FieldRow
      key={field.name}
      id={`${id}-${field.name}`}
      field={field}
      text={texts[field.name] ?? ""}
      error={wrong[field.name] ?? refusedField(field.name) ?? ""}
      isTagged={fields.some((each) => !each.isOptional)}
      onChange={(text) => setTexts((before) => ({ ...before, [field.name]: text }))}
    />
  );
  const needed = fields.filter((field) => !field.isOptional);
  const optional = fields.filter((field) => field.isOptional);
  return (
    <form ref={form} className="schema-form" onSubmit={submit} aria-label={label} noValidate>
      {variants.length < 2 ? null : (
        <div className="field">
          <label htmlFor={`${id}-variant`}>Kind of action</label>
          <select id={`${id}-variant`} value={chosen} onChange={(event) => setChosen(Number(event.target.value))}>
            {variants.map((each, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: variants of a union have no other name
              <option key={index} value={index}>
                {variantName(each, variants)}
              </option>
            ))}
          </select>
        </div>
      )}
      <div className="fields">{(needed.length > 0 ? needed : optional).map(show)}</div>
      {needed.length === 0 || optional.length === 0 ? null : (
        <details className="optional-fields">
          <summary>
            Optional fields <span className="count">{optional.length}</span>
          </summary>
          <div className="fields">{optional.map(show)}</div>
        </details>
      )}
      <div className="row">{children}</div>
    </form>
  );
}

function FieldRow({
  id,
  field,
  text,
  error,
  isTagged,
  onChange,
}: {
  readonly id: string;
  readonly field: Field;
  readonly text: string;
  readonly error: string;
  readonly isTagged: boolean;
  onChange(text: string): void;
}) {
  const { name, kind, schema, isOptional } = field;
  const hint = hintOf(field);
  const common = {
    id,
    name,
    "aria-describedby": `${id}-hint ${id}-error`,
    "aria-invalid": error !== "",
    "aria-required": !isOptional,
  };
  const isWide = kind === "long-text" || kind === "json";
  const control =
    kind === "choice" ? (
      <select {...common} value={text} onChange={(event) => onChange(event.target.value)}>
        {isOptional ? <option value="">Not set</option> : null}
        {field.values.map((value, index) => (
          <option key={String(value)} value={index}>
            {typeof value === "boolean" ? (value ? "yes" : "no") : String(value ?? "none")}
          </option>
        ))}
      </select>
    ) : kind === "boolean" ? (
      <input
        {...common}
        type="checkbox"
        checked={text === "true"}
        onChange={(event) => onChange(String(event.target.checked))}
      />
    ) : isWide ? (
      <textarea
        {...common}
        rows={kind === "json" ? 2 : 3}
        className={kind === "json" ? "json" : undefined}
        spellCheck={kind !== "json"}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    ) : (
      <input
        {...common}
        type="text"
        autoComplete="off"
        inputMode={kind === "text" ? "text" : "decimal"}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  return (
    <div className={`field${isWide ? " wide" : ""}${kind === "boolean" ? " check" : ""}`}>
      <label htmlFor={id}>
        {typeof schema.title === "string" && schema.title !== name ? schema.title : words(name)}
        {isOptional && isTagged ? <span className="quiet"> optional</span> : null}
      </label>
      {control}
      <p id={`${id}-hint`} className="hint">
        {hint}
      </p>
      <p id={`${id}-error`} className="field-error">
        {error}
      </p>
    </div>
  );
}
