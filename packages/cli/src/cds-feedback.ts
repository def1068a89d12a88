import { appendFileSync, mkdirSync } from "node:fs";
import type { CardFeedback } from "@praxis/polyguard";

const FOLDER = "runs";

/** Adds what a user did with a CDS Hooks card to `runs/cds-feedback.jsonl`; cards are named by uuid, no record is kept. */
export function appendFeedback(feedback: CardFeedback): void {
  mkdirSync(FOLDER, { recursive: true });
  appendFileSync(`${FOLDER}/cds-feedback.jsonl`, `${JSON.stringify(feedback)}\n`);
}
