import type { FlowPlan } from "../config/plan.ts";
import { renderAscii } from "./ascii.ts";
import { outlineFlow } from "./outline.ts";
import { renderSvg } from "./svg.ts";

/** The steps of a flow as text or as SVG. */
export function graphFlow(plan: FlowPlan, format: "ascii" | "svg"): string {
  const outline = outlineFlow(plan);
  return format === "svg" ? renderSvg(outline) : renderAscii(outline);
}
