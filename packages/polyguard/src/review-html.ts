import type { Review, ReviewFinding } from "./fhir/review-types.ts";
import { patientLine } from "./review-text.ts";

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const text = (value: unknown): string => String(value).replace(/[&<>"']/g, (character) => escapes[character]!);
const fixed = (value: number): string => value.toFixed(3);

function table(head: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  if (rows.length === 0) return `<p class="empty">${text(empty)}</p>`;
  const cells = (row: readonly string[], tag: string): string =>
    `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  return `<div class="wide"><table><thead>${cells(head.map(text), "th")}</thead><tbody>${rows.map((row) => cells(row, "td")).join("")}</tbody></table></div>`;
}

const severity = (finding: ReviewFinding): string =>
  `<span class="tag ${text(finding.severity)}">${text(finding.severity)}</span>${finding.managed ? " managed" : ""}`;
const findingRows = (findings: readonly ReviewFinding[]): string[][] =>
  findings.map((each) => [
    severity(each),
    text(each.drugs),
    text(each.effect),
    text(each.mechanism),
    text(each.management),
    text(each.source),
  ]);
const FINDING_HEAD = ["severity", "drugs", "effect", "mechanism", "what would manage it", "source"];

function bars(components: Readonly<Record<string, number>>): string {
  return table(
    ["component", "mean", ""],
    Object.entries(components).map(([name, value]) => [
      text(name),
      fixed(value),
      `<span class="bar" style="width:${Math.round(value * 120)}px"></span>`,
    ]),
    "no step was taken",
  );
}

function section(name: string, review: Review): string {
  const { expected_harm, score } = review;
  return `<article>
<h2>${text(name)}</h2>
<p class="patient">${text(patientLine(review))}</p>
<p class="notice">${text(review.notice)}</p>
<h3>Medications</h3>
${table(
  ["medication", "dose", "indication", "checked", "notes"],
  review.medications.map((each) => [
    text(each.label),
    text(each.dose),
    text(each.indication ?? "not documented"),
    each.checked ? "yes" : "<strong>not checked</strong>",
    text(each.notes.join("; ")),
  ]),
  "no current medication",
)}
<h3>Findings</h3>
${table(FINDING_HEAD, findingRows(review.findings), "none by the rules that were checked")}
<h3>What the agent did (${text(review.policy)})</h3>
${table(
  ["day", "action", "why", "expected harm before", "after", "reward"],
  review.proposals.map((each) => [
    text(each.day),
    text(each.text) + (each.legal ? "" : ` <strong>${text(each.outcome)}</strong>`),
    text(each.why),
    fixed(each.expected_harm_before),
    fixed(each.expected_harm_after),
    fixed(each.reward),
  ]),
  "nothing",
)}
<p>Expected harm ${fixed(expected_harm.before)} → ${fixed(expected_harm.after)} (${text(expected_harm.unit)}).</p>
<h3>Still open</h3>
${table(FINDING_HEAD, findingRows(review.open_findings), "no major or contraindicated finding")}
<h3>Score ${fixed(score.total)}</h3>
<p>Mean reward of ${score.steps} steps; ended: ${text(score.ended)}.</p>
${bars(score.components)}
<h3>Not used or not checked</h3>
<p>What stands here was not checked. That is not the same as safe.</p>
${table(
  ["entry", "where", "value", "reason"],
  review.unused.map((each) => [text(each.entry), text(each.path), text(each.value), text(each.reason)]),
  "nothing: every entry was used",
)}
${
  review.warnings.length === 0
    ? ""
    : `<h3>Doubts about what was used</h3>${table(
        ["entry", "where", "doubt"],
        review.warnings.map((each) => [text(each.entry), text(each.path), text(each.message)]),
        "",
      )}`
}
${review.assumptions.length === 0 ? "" : `<h3>Assumed</h3><ul>${review.assumptions.map((each) => `<li>${text(each)}</li>`).join("")}</ul>`}
</article>`;
}

/** A self-contained HTML report of one or more reviews; all text is escaped. */
export function renderReviewHtml(reviews: readonly { readonly name: string; readonly review: Review }[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>PolyGuard review</title>
<style>
:root { color-scheme: light dark; --line: #8884; --bar: #2a6fbb; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; } h3 { font-size: 1rem; margin: 1.5rem 0 .4rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem .35rem 0; text-align: left; vertical-align: top; }
.tag { border: 1px solid; border-radius: .3rem; padding: 0 .35rem; white-space: nowrap; }
.contraindicated { color: #b3261e; font-weight: 700; } .major { color: #a04800; font-weight: 600; } .moderate { color: inherit; }
.notice { border-left: .25rem solid var(--bar); padding-left: .6rem; } .empty { opacity: .8; }
.bar { display: inline-block; height: .7rem; background: var(--bar); border-radius: .2rem; }
@media (prefers-color-scheme: dark) { .contraindicated { color: #ff8a80; } .major { color: #ffb27a; } :root { --bar: #6aa5e6; } }
</style>
</head>
<body>
<h1>PolyGuard review</h1>
${reviews.map(({ name, review }) => section(name, review)).join("\n")}
</body>
</html>
`;
}
