import type { CheckResult } from "./check.ts";
import type { Timing } from "./timing.ts";

/** Everything one run of `praxis validate` found. */
export interface ValidationReport {
  readonly target: string;
  readonly kind: "url" | "folder";
  /** True when nothing required failed, and with `--strict` nothing recommended either. */
  readonly passed: boolean;
  readonly strict: boolean;
  readonly counts: Readonly<Record<"pass" | "fail" | "warn" | "skip", number>>;
  readonly checks: readonly CheckResult[];
  readonly timing: readonly Timing[];
}

/** Puts results into a report. */
export function makeReport(
  about: Pick<ValidationReport, "target" | "kind" | "strict">,
  checks: readonly CheckResult[],
  timing: readonly Timing[],
): ValidationReport {
  const counts = { pass: 0, fail: 0, warn: 0, skip: 0 };
  for (const { status } of checks) counts[status]++;
  const passed = counts.fail === 0 && !(about.strict && counts.warn > 0);
  return { ...about, passed, counts, checks, timing };
}

const WORDS = { pass: "ok  ", fail: "FAIL", warn: "warn", skip: "skip" } as const;

/** Lines for people, a line a check. @param paint puts a status in colour */
export function formatReport(
  report: ValidationReport,
  paint: (status: CheckResult["status"], text: string) => string,
): string {
  const lines: string[] = [report.target];
  let group = "";
  for (const check of report.checks) {
    if (check.group !== group) {
      group = check.group;
      lines.push("", group);
    }
    const detail = check.detail === "" ? "" : check.status === "pass" ? ` (${check.detail})` : `: ${check.detail}`;
    lines.push(`  ${paint(check.status, WORDS[check.status])} ${check.title}${detail}`);
  }
  if (report.timing.length > 0) {
    lines.push("", "Round trips over /ws (ms)");
    for (const { request, median, p95, max, samples } of report.timing)
      lines.push(`  ${request.padEnd(5)} median ${median}, p95 ${p95}, max ${max} (n = ${samples})`);
  }
  const { pass, fail, warn, skip } = report.counts;
  lines.push(
    "",
    `${report.passed ? "Valid" : "Not valid"}: ${pass} passed, ${fail} failed, ${warn} warnings, ${skip} skipped.`,
  );
  return lines.join("\n");
}

const escapeXml = (text: string): string =>
  text
    // Characters that XML 1.0 cannot carry at all.
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** The report as JUnit XML; a warning is a failure only in a strict run, else a passed case with its text as output. */
export function formatJunit(report: ValidationReport): string {
  const seconds = (ms: number): string => (ms / 1000).toFixed(4);
  const failed = (check: CheckResult): boolean => check.status === "fail" || (report.strict && check.status === "warn");
  const cases = report.checks.map((check) => {
    const head = `    <testcase classname="${escapeXml(check.group)}" name="${escapeXml(`${check.id}: ${check.title}`)}" time="${seconds(check.ms)}"`;
    const detail = escapeXml(check.detail);
    if (failed(check)) return `${head}><failure message="${detail}"/></testcase>`;
    if (check.status === "skip") return `${head}><skipped message="${detail}"/></testcase>`;
    if (check.status === "warn") return `${head}><system-out>warning: ${detail}</system-out></testcase>`;
    return `${head}/>`;
  });
  const total = seconds(report.checks.reduce((sum, check) => sum + check.ms, 0));
  const failures = report.checks.filter(failed).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite name="${escapeXml(`praxis validate ${report.target}`)}" tests="${report.checks.length}" failures="${failures}" errors="0" skipped="${report.counts.skip}" time="${total}">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}
