import { type Finding, type FindingsScore, readFinding, scoreFindings } from "./findings.ts";
import type { MiningInstance } from "./instance.ts";

/** Score of declared texts; one that can't be read declares nothing. */
export function scoreDeclared(instance: MiningInstance, texts: readonly string[]): FindingsScore {
  const findings: Finding[] = [];
  for (const text of texts) {
    const { finding } = readFinding(instance.drugIds, text);
    if (finding !== null) findings.push(finding);
  }
  return scoreFindings(instance, findings);
}
