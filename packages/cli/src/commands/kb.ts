import { auditKnowledge, type KnowledgeAudit, loadBundledKnowledgeBase } from "@praxis/polyguard";
import type { Command } from "commander";
import { CheckFailed } from "../outcome.ts";
import { styled, type Terminal } from "../terminal.ts";

/** Adds `praxis kb audit`: the interaction table against what follows from the drug table. */
export function registerKb(program: Command, terminal: Terminal): void {
  const kb = program.command("kb").description("PolyGuard's knowledge base. Research simulation, not medical advice.");
  kb.command("audit")
    .description(
      "Compare the interaction table with what follows from enzymes, transporters and risk points: what is listed, what is derived, what contradicts, what lacks a rule or a source. Exit code 1 if anything does.",
    )
    .option("--derived", "list every pair that no row names and the exposure model derives")
    .option("--json", "the whole audit as JSON")
    .action((flags: { readonly derived?: boolean; readonly json?: boolean }) => {
      const audit = auditKnowledge(loadBundledKnowledgeBase());
      if (flags.json === true) terminal.out(JSON.stringify(audit, null, 2));
      else terminal.out(auditText(audit, flags.derived === true, terminal));
      if (audit.problems.length > 0)
        throw new CheckFailed(`${audit.problems.length} ${audit.problems.length === 1 ? "problem" : "problems"}.`);
    });
}

function auditText(audit: KnowledgeAudit, listsDerived: boolean, terminal: Terminal): string {
  const { drugs, rules, pairs, severities, derived, problems } = audit;
  const count = (value: number): string => value.toLocaleString("en-US");
  const lines = [
    styled(terminal, "bold", "Knowledge base"),
    `  ${drugs} drugs, ${rules} rules, ${count(pairs.all)} pairs`,
    `  listed    ${count(pairs.listed).padStart(6)} pairs have a row`,
    `  derived   ${count(pairs.derived).padStart(6)} pairs follow from the exposure model alone (confidence L)`,
    `  severity  ${count(severities.contraindicated)} contraindicated, ${count(severities.major)} major, ${count(severities.moderate)} moderate (highest of a pair, conditions apart)`,
  ];
  if (listsDerived)
    lines.push(
      "",
      styled(terminal, "bold", "Derived"),
      ...derived.map(
        ({ victim, perpetrator, severity, ratio }) =>
          `  ${victim} with ${perpetrator}: exposure x ${ratio.toFixed(2)}, ${severity}`,
      ),
    );
  for (const kind of ["contradiction", "gap", "missing source"] as const) {
    const found = problems.filter((problem) => problem.kind === kind);
    if (found.length === 0) continue;
    lines.push("", styled(terminal, "bold", `${kind} (${found.length})`));
    for (const { where, text } of found) lines.push(`  ${where}: ${text}`);
  }
  if (problems.length === 0) lines.push("", "No contradiction, no gap, no row without a source.");
  return lines.join("\n");
}
