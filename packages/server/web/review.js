import { el, isRecord, number, words } from "./element.js";
import { tree } from "./tree.js";

/** Parts of a review in the order they are shown, with what to say when one is empty. */
const PARTS = [
  ["findings", "Findings", "No finding: nothing in this bundle breaks a rule that is known here."],
  ["proposals", "Proposed actions, before and after", "No action is proposed."],
  ["unused", "Entries that were not used", "Every entry of the bundle was used."],
];
const MAX_BYTES = 5_000_000;

function problem(code, message, errors = []) {
  return el(
    "div",
    { class: "problem" },
    el("p", {}, el("code", {}, code), ` ${message}`),
    errors.length > 0
      ? el(
          "ul",
          {},
          errors.map(({ loc = [], msg }) => el("li", {}, el("code", {}, loc.join(".")), ` ${msg}`)),
        )
      : null,
  );
}

async function ask(file, url, headers) {
  if (file.size > MAX_BYTES) return problem("MESSAGE_TOO_LARGE", "The file is above 5 MB; choose a smaller bundle.");
  const text = await file.text();
  try {
    JSON.parse(text);
  } catch (error) {
    return problem("INVALID_JSON", `${file.name} is not JSON: ${error.message}.`);
  }
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/fhir+json" },
    body: text,
  });
  const reply = await response.json().catch(() => null);
  if (!response.ok || !isRecord(reply)) {
    const { praxis_code: row, code, message, detail, errors } = reply ?? {};
    const why = message ?? (typeof detail === "string" ? detail : "The server could not review this file.");
    return problem(row ?? code ?? `HTTP ${response.status}`, why, errors ?? (Array.isArray(detail) ? detail : []));
  }
  return show(file.name, reply);
}

function show(name, { score, ...reply }) {
  const box = el("div", {}, el("h4", {}, `Review of ${name}`));
  const section = (title, ...content) => box.append(el("section", {}, el("h4", {}, title), ...content));
  for (const [key, title, empty] of PARTS) {
    const list = reply[key] ?? [];
    section(title, list.length === 0 ? el("p", { class: "quiet" }, empty) : tree(list, new Map(), key));
  }
  if (isRecord(score)) {
    const components = isRecord(score.components) ? score.components : score;
    section(
      typeof score.total === "number" ? `Score ${number(score.total)}, by component` : "Score by component",
      tree(
        Object.entries(components).map(([component, value]) => ({ component: words(component), value })),
        new Map(),
        "score",
      ),
    );
  }
  const known = new Set(PARTS.map(([key]) => key));
  const rest = Object.fromEntries(Object.entries(reply).filter(([key]) => !known.has(key)));
  if (Object.keys(rest).length > 0) section("More", tree(rest, new Map(), "more"));
  return box;
}

/** Sends a bundle file for review and shows the answer, or what went wrong, in `box`. */
export async function showReview(box, file, url, headers) {
  box.replaceChildren(el("p", { class: "quiet" }, `Reviewing ${file.name}…`));
  try {
    box.replaceChildren(await ask(file, url, headers));
  } catch (error) {
    box.replaceChildren(problem("CONNECTION_LOST", `The server did not answer: ${error.message}. Is it running?`));
  }
}
