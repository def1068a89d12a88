import { el, isRecord, words } from "./element.js";

/** Shows offered actions as choices in `box`; a click hands the action's fields to `onPick`. */
export function showCandidates(box, candidates, onPick) {
  box.hidden = candidates.length === 0;
  const pick = (candidate, button) => {
    for (const other of box.querySelectorAll("button")) other.setAttribute("aria-pressed", other === button);
    onPick([candidate.payload, candidate.action, candidate].find(isRecord));
  };
  box.replaceChildren(
    el("h4", {}, `${candidates.length} offered actions`),
    el("p", { class: "quiet" }, "A click fills the form below; Step takes the action."),
    el(
      "ul",
      { class: "offers" },
      candidates.map((candidate) => {
        const kind = candidate.action_type ?? candidate.type ?? "";
        const text =
          candidate.text ?? candidate.label ?? candidate.description ?? JSON.stringify(candidate.payload ?? candidate);
        const button = el(
          "button",
          { type: "button", class: "choice", "aria-pressed": "false", onclick: () => pick(candidate, button) },
          kind ? el("strong", {}, words(kind)) : null,
          el("span", {}, String(text)),
        );
        return el("li", {}, button);
      }),
    ),
  );
}
