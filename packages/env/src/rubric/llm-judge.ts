import { z } from "zod";
import { PraxisError, toPraxisError } from "../errors.ts";
import { Rubric } from "./rubric.ts";

/** What a judge is asked about. */
export interface JudgedStep {
  readonly action: unknown;
  readonly observation: unknown;
}

/** Settings of {@link llmJudge} that `saveConfig` writes. */
export interface LlmJudgeSettings {
  /** Prompt; `{action}` and `{observation}` are replaced by the step's, as text or JSON. */
  readonly template: string;
  /** Score of a reply without a number. */
  readonly defaultScore: number;
}

const asText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** The first decimal number in a judge's reply, clamped to 0 … 1, or `defaultScore` if there is none. */
export function parseJudgeScore(reply: string, defaultScore = 0): number {
  const found = /-?(?:\d+(?:\.\d+)?|\.\d+)/.exec(reply);
  return found === null ? defaultScore : Math.min(1, Math.max(0, Number(found[0])));
}

/**
 * Asks a language model: fills the template, takes the reply's first number. A model that fails, or answers no text, throws
 * VERIFIER_ERROR with its cause: the step is then unscored, never scored low.
 * @param complete answers a prompt; retries and deadlines are its own
 */
export function llmJudge<T extends JudgedStep>(
  complete: (prompt: string) => Promise<string>,
  { template, defaultScore = 0 }: { readonly template: string; readonly defaultScore?: number },
): Rubric<T, LlmJudgeSettings> {
  return new Rubric<T, LlmJudgeSettings>({
    kind: "llmJudge",
    settings: {
      value: { template, defaultScore },
      schema: z.strictObject({ template: z.string().min(1), defaultScore: z.number().min(0).max(1) }),
    },
    async score({ action, observation }, { settings }) {
      // One pass: text of an action that looks like a placeholder must not be filled in again.
      const prompt = settings.template.replace(/\{(action|observation)\}/g, (_, name: string) =>
        asText(name === "action" ? action : observation),
      );
      let reply: unknown;
      try {
        reply = await complete(prompt);
      } catch (cause) {
        throw new PraxisError("VERIFIER_ERROR", `The judge failed: ${toPraxisError(cause).message}`, { cause });
      }
      if (typeof reply !== "string")
        throw new PraxisError("VERIFIER_ERROR", `The judge answered no text but ${asText(reply) || String(reply)}.`);
      return parseJudgeScore(reply, settings.defaultScore);
    },
  });
}
