import type { Review, ReviewFinding } from "./fhir/review-types.ts";

const fixed = (value: number): string => value.toFixed(3);
const indent = (text: string, by: string): string =>
  text
    .split("\n")
    .map((line) => `${by}${line}`)
    .join("\n");

/** `Zoë 李, F, 82 years, CrCl 34 mL/min, eGFR 46 mL/min/1.73 m², as of 2026-03-02`. */
export function patientLine({ patient, as_of }: Pick<Review, "patient" | "as_of">): string {
  const crCl =
    patient.crcl_ml_min === null ? "CrCl can't be computed" : `CrCl ${patient.crcl_ml_min.toFixed(0)} mL/min`;
  const egfr =
    patient.egfr_ml_min_1_73 === null
      ? "eGFR can't be computed"
      : `eGFR ${patient.egfr_ml_min_1_73.toFixed(0)} mL/min/1.73 m²`;
  return `${patient.name ?? patient.id}, ${patient.sex}, ${patient.age} years, ${crCl}, ${egfr}, as of ${as_of}`;
}

function findingText(finding: ReviewFinding): string {
  const management = finding.management === "" ? "" : `\n  manage: ${finding.management}`;
  return `${finding.severity.toUpperCase()}${finding.managed ? " (managed)" : ""}  ${finding.drugs}: ${finding.effect}\n  ${finding.mechanism}; source: ${finding.source}${management}`;
}

/** A review as plain text for a terminal. */
export function renderReviewText(review: Review): string {
  const section = (title: string, lines: readonly string[], empty: string): string =>
    `${title}\n${lines.length === 0 ? `  ${empty}` : lines.map((line) => indent(line, "  ")).join("\n")}`;
  const { score, expected_harm } = review;
  return [
    patientLine(review),
    review.notice,
    section(
      "Medications",
      review.medications.map(
        (each) =>
          `${each.checked ? "" : "NOT CHECKED  "}${each.label}: ${each.dose}${each.indication === null ? "" : ` for ${each.indication}`}${each.notes.length === 0 ? "" : ` (${each.notes.join("; ")})`}`,
      ),
      "none",
    ),
    section("Findings", review.findings.map(findingText), "none by the rules that were checked"),
    section(
      `What the agent did (${review.policy})`,
      review.proposals.map(
        (each) =>
          `day ${each.day}: ${each.text}${each.legal ? "" : ` [${each.outcome}]`}\n  ${each.why}\n  expected harm ${fixed(each.expected_harm_before)} -> ${fixed(each.expected_harm_after)}, reward ${fixed(each.reward)}`,
      ),
      "nothing",
    ),
    section("Still open", review.open_findings.map(findingText), "no major or contraindicated finding"),
    `Expected harm ${fixed(expected_harm.before)} -> ${fixed(expected_harm.after)} (${expected_harm.unit})`,
    `Score ${fixed(score.total)} (mean reward of ${score.steps} steps, ended: ${score.ended})\n${Object.entries(
      score.components,
    )
      .map(([name, value]) => `  ${fixed(value)}  ${name}`)
      .join("\n")}`,
    section(
      "Not used or not checked: not the same as safe",
      review.unused.map(
        (each) =>
          `${each.entry}${each.path === "" ? "" : `, ${each.path}`}${each.value === "" ? "" : ` = ${each.value}`}: ${each.reason}`,
      ),
      "nothing: every entry was used",
    ),
    ...(review.warnings.length === 0
      ? []
      : [
          section(
            "Doubts about what was used",
            review.warnings.map((each) => `${each.entry}, ${each.path}: ${each.message}`),
            "",
          ),
        ]),
    ...(review.assumptions.length === 0 ? [] : [section("Assumed", review.assumptions, "")]),
  ].join("\n\n");
}
