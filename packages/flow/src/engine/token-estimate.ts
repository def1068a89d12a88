import type { LanguageModelV3CallOptions, LanguageModelV3Prompt } from "@ai-sdk/provider";
import { estimateTokens } from "../config/defaults.ts";
import { promptText } from "../providers/model.ts";
import type { ModelHandle } from "./run-context.ts";

/**
 * Cautious token count of a text, for reservations: a word of up to four letters is one token, a longer one a token for
 * every three letters, digits and signs one each, and characters beyond ASCII two each. assumption: above what byte-pair
 * vocabularies of 32k entries and more need for prose and code.
 */
function cautiousTokens(text: string): number {
  let tokens = 0;
  let letters = 0;
  const flush = (): void => {
    if (letters > 0) tokens += letters <= 4 ? 1 : Math.ceil(letters / 3);
    letters = 0;
  };
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    if (isLetter) {
      letters++;
      continue;
    }
    flush();
    // A single space joins the next word's token.
    if (code === 32) continue;
    tokens += code < 128 ? 1 : 2;
  }
  flush();
  return Math.max(tokens, estimateTokens(text));
}

/** Prompt tokens of a call: the model's own count, else cautious, raised by what this model was seen to need. */
export function promptTokens(
  handle: ModelHandle,
  prompt: LanguageModelV3Prompt,
  options: Pick<LanguageModelV3CallOptions, "tools" | "responseFormat">,
): number {
  if (handle.model.countTokens !== undefined) return handle.model.countTokens(prompt, options);
  let tokens = cautiousTokens(promptText(prompt)) + 8 * prompt.length + 8;
  if (options.tools !== undefined) tokens += cautiousTokens(JSON.stringify(options.tools));
  if (options.responseFormat?.type === "json" && options.responseFormat.schema !== undefined)
    tokens += cautiousTokens(JSON.stringify(options.responseFormat.schema));
  return Math.ceil(tokens * handle.estimateRatio);
}
