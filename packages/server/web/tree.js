import { el, isRecord, number, words } from "./element.js";

/** Items of a list shown before the rest has to be asked for. */
const FIRST_ITEMS = 40;

const isScalar = (value) => value === null || typeof value !== "object";

function scalar(value) {
  if (value === null) return el("span", { class: "null" }, "none");
  if (typeof value === "number") return el("span", { class: "number" }, number(value));
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === "" ? el("span", { class: "null" }, "empty") : el("span", { class: "text" }, String(value));
}

const isFlat = (value) => isScalar(value) || (Array.isArray(value) && value.every(isScalar) && value.length <= 8);
const flat = (value) =>
  Array.isArray(value) ? value.map((item) => String(item ?? "none")).join(", ") || "none" : scalar(value);

/** Lists of flat records read best as a table. */
function isTable(list) {
  return list.length > 0 && list.every((item) => isRecord(item) && Object.values(item).every(isFlat));
}

function table(list, label) {
  const columns = [...new Set(list.flatMap(Object.keys))];
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          columns.map((name) => el("th", { scope: "col" }, words(name))),
        ),
      ),
      el(
        "tbody",
        {},
        list.map((item) =>
          el(
            "tr",
            {},
            columns.map((name) => el("td", {}, name in item ? flat(item[name]) : "")),
          ),
        ),
      ),
    ),
  );
}

/** Shows the first items of a long list, and the rest on demand. */
function limited(list, render) {
  const box = el("div", {});
  box.append(render(list.slice(0, FIRST_ITEMS)));
  if (list.length > FIRST_ITEMS)
    box.append(
      el(
        "button",
        { type: "button", class: "plain", onclick: () => box.replaceChildren(render(list)) },
        `Show all ${list.length}`,
      ),
    );
  return box;
}

/** Parts of the top level with at most so many entries are unfolded at first. */
const OPEN_ENTRIES = 12;

/**
 * A value as a tree that can be folded. `folds` maps the paths that a reader has folded or unfolded to true for open: it
 * outlives the tree, so that the next observation is shown as this one was left.
 */
export function tree(value, folds, path = "") {
  if (isScalar(value)) return scalar(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return el("span", { class: "null" }, "none");
    if (value.every(isScalar))
      return limited(value, (items) =>
        el(
          "p",
          { class: "items" },
          items.map((item) => el("span", { class: "item" }, scalar(item))),
        ),
      );
    if (isTable(value)) return limited(value, (items) => table(items, words(path.split("/").at(-1) ?? "")));
    return limited(value, (items) =>
      el(
        "ol",
        { class: "nest" },
        items.map((item, index) => el("li", {}, branch(String(index + 1), item, folds, `${path}/${index}`))),
      ),
    );
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return el("span", { class: "null" }, "nothing");
  if (entries.length > 1 && entries.every(([, inner]) => isRecord(inner)) && isTable(Object.values(value)))
    return table(
      entries.map(([key, inner]) => ({ "": words(key), ...inner })),
      words(path.split("/").at(-1) ?? ""),
    );
  return el(
    "ul",
    { class: "nest" },
    entries.map(([key, inner]) => el("li", {}, branch(words(key), inner, folds, `${path}/${key}`))),
  );
}

function branch(label, value, folds, path) {
  if (isFlat(value)) return [el("span", { class: "key" }, label), flat(value)];
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  const isOpen = folds.get(path) ?? (path.lastIndexOf("/") === 0 && count <= OPEN_ENTRIES);
  const summary = el("summary", {}, el("span", { class: "key" }, label), el("span", { class: "count" }, `${count}`));
  const details = el("details", { open: isOpen }, summary);
  // Filled when first unfolded: an observation may hold thousands of numbers.
  const fill = () => {
    if (details.childElementCount === 1) details.append(el("div", { class: "inner" }, tree(value, folds, path)));
  };
  if (isOpen) fill();
  details.addEventListener("toggle", () => {
    folds.set(path, details.open);
    if (details.open) fill();
  });
  return details;
}
