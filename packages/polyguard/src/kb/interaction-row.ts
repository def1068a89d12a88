import { parseCondition } from "./condition.ts";
import { HARM_DOMAINS, MANAGEMENT_CODES, type ManagementCode, SEVERITIES } from "./domains.ts";
import type { TableRow } from "./table.ts";
import type { InteractionRule, RuleSide } from "./types.ts";

/** Header of the interaction table. */
export const INTERACTION_COLUMNS: readonly string[] = [
  "rule_id",
  "a_kind",
  "a",
  "b_kind",
  "b",
  "severity",
  "harm_domain",
  "mechanism",
  "effect",
  "object",
  "aucr_approx",
  "condition",
  "management_code",
  "management",
  "source",
  "confidence",
];

/** Checks one row of the interaction table against the column rules and reads it; members of the sides are checked by the loader. */
export function readInteractionRow(row: TableRow, index: number): InteractionRule {
  const condition = parseCondition(row.text("condition"));
  if (condition === undefined)
    row.refuse(
      "condition",
      "terms on CrCl, eGFR, K, QTc, dose_a, dose_b, sex=F, brady, dose_high joined by & and |, or blank",
    );
  const codes = row.list("management_code", "|", /^[A-Z_]+$/, "a management code");
  if (codes.length === 0 || !codes.every(isManagementCode))
    row.refuse("management_code", `one or more of ${MANAGEMENT_CODES.join(", ")}`);
  const object = row.text("object") === "" ? null : row.oneOf("object", ["a", "b"]);
  const aucrApprox = row.optionalNumber("aucr_approx", 0.01, 1000);
  if (aucrApprox !== null && object === null) row.refuse("object", "a or b where aucr_approx is given");
  const harmDomain = row.oneOf("harm_domain", [...HARM_DOMAINS, "EFFICACY_LOSS"]);
  if (harmDomain === "EFFICACY_LOSS" && object === null) row.refuse("object", "a or b for EFFICACY_LOSS");
  return {
    index,
    ruleId: row.required("rule_id", /^DDI\d{3,}$/, "DDI and at least three digits"),
    a: readSide(row, "a"),
    b: readSide(row, "b"),
    severity: row.oneOf("severity", SEVERITIES),
    harmDomain,
    mechanism: row.required("mechanism", /^\S.*$/, "text"),
    effect: row.required("effect", /^\S.*$/, "text"),
    object,
    aucrApprox,
    condition,
    conditionText: row.text("condition"),
    managementCodes: codes,
    management: row.required("management", /^\S.*$/, "text"),
    source: row.required("source", /^\S.*$/, "the origin of the row"),
    confidence: row.oneOf("confidence", ["H", "M", "L"]),
  };
}

function isManagementCode(code: string): code is ManagementCode {
  return MANAGEMENT_CODES.some((known) => known === code);
}

function readSide(row: TableRow, side: "a" | "b"): RuleSide {
  const kind = row.oneOf(`${side}_kind`, ["drug", "group"]);
  const pattern = kind === "drug" ? /^[a-z][a-z0-9_]*$/ : /^[A-Z0-9][A-Z0-9_]*$/;
  return { kind, name: row.required(side, pattern, kind === "drug" ? "a drug_id" : "a group token") };
}
