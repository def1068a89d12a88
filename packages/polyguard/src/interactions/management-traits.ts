import type { ManagementCode, Severity } from "../kb/domains.ts";
import type { KnowledgeBase } from "../kb/types.ts";

/** What severity and management codes of a rule come down to for one pair. */
export interface ManagementTraits {
  /** Major with AVOID listed: monitoring alone does not manage it. */
  readonly isStrict: boolean;
  /** A side is an opioid, so that PROTECT means naloxone. */
  readonly isOpioidHit: boolean;
  /** Orders alone may make the hit managed. */
  readonly isManagedByOrders: boolean;
}

/** The traits of a hit of two drugs (row numbers), so that nobody has to read its codes again. */
export function managementTraits(
  kb: KnowledgeBase,
  drugs: readonly [number, number],
  severity: Severity,
  codes: readonly ManagementCode[],
): ManagementTraits {
  return {
    isStrict: severity === "major" && codes.includes("AVOID"),
    isOpioidHit: drugs.some((index) => kb.drugs[index]!.groups.includes("OPIOID")),
    isManagedByOrders:
      severity !== "contraindicated" &&
      codes.some((code) => code === "MONITOR" || code === "PROTECT" || code === "SEPARATE"),
  };
}
