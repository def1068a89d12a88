import { type FieldError, PraxisError } from "@praxis/env";
import { z } from "zod";
import { markOfUuid } from "../fhir/uuid.ts";
import { INDICATORS, type Indicator } from "./cards.ts";

/** What a user did with a card. */
export interface CardFeedback {
  readonly service: string;
  readonly card: string;
  readonly indicator: Indicator;
  readonly outcome: "accepted" | "overridden";
  readonly acceptedSuggestions: readonly string[];
  /** Code of the reason; null = none given. */
  readonly reason: string | null;
  readonly comment: string | null;
  readonly at: string;
}

const feedbackSchema = z.looseObject({
  feedback: z
    .array(
      z.looseObject({
        card: z.string(),
        outcome: z.enum(["accepted", "overridden"]),
        outcomeTimestamp: z.string(),
        acceptedSuggestions: z.array(z.looseObject({ id: z.string() })).optional(),
        overrideReason: z
          .looseObject({
            reason: z.looseObject({ code: z.string(), system: z.string().optional() }).optional(),
            userComment: z.string().optional(),
          })
          .optional(),
      }),
    )
    .min(1),
});

/**
 * Reads a feedback call; nothing of it counts when one entry is wrong. Throws VALIDATION_ERROR naming the entry: for a card
 * that is not one of ours, an acceptance without a suggestion, and a critical or warning card that is overridden without a reason.
 */
export function readFeedback(service: string, body: unknown): readonly CardFeedback[] {
  const parsed = feedbackSchema.safeParse(body);
  if (!parsed.success) {
    const fields = parsed.error.issues.map(
      (issue): FieldError => ({ type: "value_error", loc: issue.path.map(String), msg: issue.message }),
    );
    throw new PraxisError("VALIDATION_ERROR", `${fields[0]!.loc.join(".") || "body"}: ${fields[0]!.msg}.`, { fields });
  }
  return parsed.data.feedback.map((entry, i): CardFeedback => {
    const refuse = (name: string, message: string): PraxisError =>
      new PraxisError("VALIDATION_ERROR", `feedback.${i}.${name}: ${message}`, {
        fields: [{ type: "value_error", loc: ["feedback", i, name], msg: message }],
      });
    const indicator = INDICATORS[markOfUuid(entry.card) ?? -1];
    if (indicator === undefined) throw refuse("card", `'${entry.card}' is not the uuid of a card of this service.`);
    if (Number.isNaN(Date.parse(entry.outcomeTimestamp)))
      throw refuse("outcomeTimestamp", `'${entry.outcomeTimestamp}' is not an ISO 8601 time.`);
    const accepted = entry.acceptedSuggestions?.map(({ id }) => id) ?? [];
    if (entry.outcome === "accepted" && accepted.length === 0)
      throw refuse("acceptedSuggestions", "An accepted card names the suggestions that were taken.");
    const reason = entry.overrideReason?.reason?.code.trim() || null;
    const comment = entry.overrideReason?.userComment?.trim() || null;
    if (entry.outcome === "overridden" && indicator !== "info" && reason === null && comment === null)
      throw refuse("overrideReason", `Overriding a ${indicator} card asks for a reason: a code or a comment.`);
    return {
      service,
      card: entry.card,
      indicator,
      outcome: entry.outcome,
      acceptedSuggestions: accepted,
      reason,
      comment,
      at: entry.outcomeTimestamp,
    };
  });
}
