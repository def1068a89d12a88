import { el, words } from "./element.js";
import { makeField, resolve, withoutNull } from "./field.js";

/** Unfolds whatever hides `control`. */
function unfold(control) {
  for (let at = control.closest("details"); at !== null; at = at.parentElement.closest("details")) at.open = true;
}

let nextForm = 0;

/** Parts of the top level of a schema that is a union: one form each. */
function variantsOf(schema, root) {
  const { inner } = withoutNull(resolve(schema, root), root);
  const branches = inner.anyOf ?? inner.oneOf;
  const all = Array.isArray(branches) ? branches.map((branch) => resolve(branch, root)) : [inner];
  const objects = all.filter((branch) => branch.type === "object" || branch.properties);
  return objects.length > 0 ? objects : [{ type: "object", properties: {} }];
}

const isConstant = (property) => "const" in property;

/** What tells one form of a union from the others: its title, a constant of its own, or its first fields. */
function variantName(variant, variants) {
  const properties = Object.entries(variant.properties ?? {});
  const own = properties.find(
    ([key, property]) =>
      typeof property.const === "string" &&
      variants.some((other) => other.properties?.[key]?.const !== property.const && key in (other.properties ?? {})),
  );
  const names = properties.filter(([, property]) => !isConstant(property)).map(([key]) => words(key).toLowerCase());
  const fields = names.length > 3 ? [...names.slice(0, 3), "…"] : names;
  return words(variant.title ?? own?.[1].const ?? (fields.join(", ") || "empty"));
}

/**
 * A form for an object schema, in `container`; constants are sent without a field. `read()` gives the value or null after
 * marking the wrong fields; `fill(values)` sets the fields that it names; `showErrors(entries)` marks fields by the
 * validation errors of a server and gives the entries that no field shows.
 */
export function makeForm(container, schema) {
  const variants = variantsOf(schema, schema);
  let constants = {};
  let fields = [];
  const body = el("div", { class: "fields" });
  const show = (index) => {
    const { properties = {}, required = [] } = variants[index];
    const entries = Object.entries(properties)
      .filter(([name]) => name !== "metadata")
      .map(([name, property]) => [name, resolve(property, schema)]);
    const isFixed = ([name, property]) => isConstant(property) && required.includes(name);
    constants = Object.fromEntries(entries.filter(isFixed).map(([name, property]) => [name, property.const]));
    fields = entries
      .filter((entry) => !isFixed(entry))
      .map(([name, property]) =>
        makeField(name, property, schema, { required: required.includes(name), isTagged: required.length > 0 }),
      );
    const main = fields.filter((field) => field.required).map((field) => field.element);
    const rest = fields.filter((field) => !field.required).map((field) => field.element);
    const more =
      rest.length > 3 && main.length > 0
        ? [
            el(
              "details",
              { class: "more" },
              el("summary", {}, `${rest.length} optional fields`),
              el("div", { class: "fields" }, rest),
            ),
          ]
        : rest;
    const note =
      required.length === 0 && fields.length > 0 ? [el("p", { class: "hint" }, "Every field may be left empty.")] : [];
    body.replaceChildren(...note, ...main, ...more);
    if (fields.length === 0) body.append(el("p", { class: "quiet" }, "No fields: nothing has to be chosen."));
  };
  const id = `form${nextForm++}-kind`;
  const options = variants.map((variant, index) => el("option", { value: index }, variantName(variant, variants)));
  const select = el("select", { id, onchange: () => show(Number(select.value)) }, options);
  container.replaceChildren(
    ...(variants.length > 1 ? [el("div", { class: "field wide" }, el("label", { for: id }, "Kind"), select)] : []),
    body,
  );
  show(0);
  return {
    read() {
      const value = { ...constants };
      const wrong = [];
      for (const field of fields) {
        try {
          const got = field.get();
          if (got !== undefined) value[field.name] = got;
          field.fail("");
        } catch (error) {
          field.fail(error.message);
          wrong.push(field.control);
        }
      }
      if (wrong.length === 0) return value;
      unfold(wrong[0]);
      wrong[0].focus();
      return null;
    },
    fill(values, clearOthers = false) {
      for (const field of fields) {
        if (field.name in values) field.set(values[field.name]);
        else if (clearOthers && !field.required) field.set(undefined);
        field.fail("");
      }
    },
    /** Shows the first kind of form that has a field of that name. */
    choose(name) {
      const index = variants.findIndex((variant) => name in (variant.properties ?? {}));
      if (index === -1 || variants.length === 1 || select.value === String(index)) return;
      select.value = String(index);
      show(index);
    },
    has: (name) => variants.some((variant) => name in (variant.properties ?? {})),
    showErrors(entries) {
      const marked = [];
      const rest = entries.filter((entry) => {
        const field = fields.find(({ name }) => entry.loc?.includes(name));
        if (field === undefined) return true;
        field.fail(`${entry.msg}.`);
        marked.push(field.control);
        return false;
      });
      if (marked.length > 0) {
        unfold(marked[0]);
        marked[0].focus();
      }
      return rest;
    },
  };
}
