import { el, words } from "./element.js";

/** Shows the environments in `box`, `chosen` by name marked; the focus stays where it was. */
export function showList(box, environments, chosen, onChoose) {
  const focused = document.activeElement?.dataset?.name;
  box.replaceChildren(
    ...environments.map((environment) => {
      const { name, description, status: health, active_sessions: active, max_sessions: max } = environment;
      return el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            class: "choice",
            "data-name": name,
            "aria-current": name === chosen ? "true" : undefined,
            onclick: () => onChoose(environment),
          },
          el("strong", {}, name),
          el("span", { class: "quiet" }, description ?? ""),
          el(
            "span",
            { class: "facts" },
            el("span", { class: "dot", "data-state": health === "healthy" ? "open" : "lost" }),
            `${words(health ?? "unknown")}, ${active ?? 0} of ${max ?? "?"} sessions`,
          ),
        ),
      );
    }),
  );
  box.querySelector(`[data-name="${CSS.escape(focused ?? "")}"]`)?.focus();
}
