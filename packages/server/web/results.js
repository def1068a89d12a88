import { el, number, words } from "./element.js";

/** The info of a reply: beside the observation, or inside it. */
export const infoOf = (reply) => reply.metadata ?? reply.observation?.metadata ?? {};

/** Shows the reward of the last of `steps` by component, and the return so far, in `box`. */
export function showReward(box, steps) {
  const reply = steps.at(-1)?.reply;
  if (reply === undefined) {
    box.replaceChildren(el("p", { class: "quiet" }, "The reward of each step and its components appear here."));
    return;
  }
  const components = Object.entries(infoOf(reply).reward_components ?? {}).filter(
    ([, value]) => typeof value === "number",
  );
  const scale = Math.max(1, ...components.map(([, value]) => Math.abs(value)));
  const total = steps.reduce((sum, step) => sum + (step.reply.reward ?? 0), 0);
  const row = (name, value) => {
    const bar = el("span", { class: value < 0 ? "bar negative" : "bar" });
    bar.style.setProperty("--share", String(Math.abs(value) / scale));
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, words(name)),
      el("td", { class: "number" }, number(value)),
      el("td", { class: "bar-cell" }, bar),
    );
  };
  box.replaceChildren(
    el(
      "p",
      { class: "big" },
      el("strong", {}, number(reply.reward ?? 0)),
      el(
        "span",
        { class: "quiet" },
        ` this step, ${number(total)} in ${steps.length} ${steps.length === 1 ? "step" : "steps"}`,
      ),
    ),
    components.length > 0
      ? el(
          "table",
          { class: "bars" },
          el("caption", { class: "quiet" }, "Components, before weighting"),
          el(
            "tbody",
            {},
            components.map(([name, value]) => row(name, value)),
          ),
        )
      : el("p", { class: "quiet" }, "This environment tells no components."),
  );
}

/** Shows all `steps`, the last first, in `box`. */
export function showHistory(box, steps) {
  if (steps.length === 0) {
    box.replaceChildren(el("p", { class: "quiet" }, "No step taken yet."));
    return;
  }
  const rows = steps.map(({ action, reply }, index) => {
    const violations = (infoOf(reply).violations ?? []).map(({ kind, message }) => message ?? kind);
    const ended = reply.done ? (reply.observation?.truncated ? "truncated" : "terminated") : "";
    return el(
      "tr",
      {},
      el("td", { class: "number" }, String(index + 1)),
      el("td", { class: "act" }, summary(action)),
      el("td", { class: "number" }, number(reply.reward ?? 0)),
      el(
        "td",
        {},
        violations.length === 0
          ? el("span", { class: "null" }, "none")
          : el(
              "ul",
              {},
              violations.map((text) => el("li", {}, String(text))),
            ),
      ),
      el("td", {}, ended),
    );
  });
  box.replaceChildren(
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "history-title" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["Step", "Action", "Reward", "Violations", "Done"].map((name) => el("th", { scope: "col" }, name)),
          ),
        ),
        el("tbody", {}, rows.reverse()),
      ),
    ),
  );
}

/** An action in one line, without what every action repeats and what was left empty. */
function summary(action) {
  const { schema_version: _version, step_nonce: _nonce, ...rest } = action;
  const isEmpty = (value) => value === "" || (Array.isArray(value) && value.length === 0);
  const parts = Object.entries(rest)
    .filter(([, value]) => !isEmpty(value))
    .map(([key, value]) => `${words(key)}: ${typeof value === "object" ? JSON.stringify(value) : value}`);
  const text = parts.join(", ") || "no fields";
  return text.length > 240 ? `${text.slice(0, 240)}…` : text;
}
