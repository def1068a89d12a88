import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { ModelPlan } from "../config/plan.ts";
import type { Clock } from "../engine/clock.ts";

/** A language model of the AI SDK's interface (version 3); every provider package of that ecosystem makes them. */
export type LanguageModel = LanguageModelV3;

/** What a model is told of a call beside the prompt, under `providerOptions.flow`; other providers ignore it. */
export interface CallMeta {
  /** What the call is for. */
  readonly kind: "work" | "plan" | "review" | "revise" | "synthesize" | "aggregate" | "summary" | "finalize" | "repair";
  readonly agentId: string;
  readonly role: string;
  readonly specialist?: string;
  /** Place in the run; equal in every run of the same flow. */
  readonly path: string;
  /** The task in words. */
  readonly task: string;
  readonly round?: number;
  /** Producers of a review, or candidates of a plan with their scores. */
  readonly names?: readonly { readonly id: string; readonly score: number }[];
}

/** Extensions that a model may offer beside the AI SDK's interface. */
export interface ModelExtras {
  /** Exact prompt tokens; without it a cautious estimate is used. */
  countTokens?(
    prompt: LanguageModelV3Prompt,
    options: Pick<LanguageModelV3CallOptions, "tools" | "responseFormat">,
  ): number;
  /** Called once when the run ends well; throws when something expected did not happen. */
  verifyFinished?(): void;
  /** Frees what the model holds. */
  close?(): Promise<void>;
}

/** What a provider gets to make a model. */
export interface ModelContext {
  readonly clock: Clock;
  /** Seed text of the run, for simulated models. */
  readonly seed: string;
}

/** Makes the model of a plan. @throws FlowError E401 when it can't */
export type ModelFactory = (plan: ModelPlan, context: ModelContext) => Promise<LanguageModel & ModelExtras>;

/** The meta part of call options; undefined where the caller is not this engine. */
export function metaOf(options: LanguageModelV3CallOptions): CallMeta | undefined {
  return (options.providerOptions as { readonly flow?: { readonly meta?: CallMeta } } | undefined)?.flow?.meta;
}

/** All text of a prompt, in order, tool calls and results included. */
export function promptText(prompt: LanguageModelV3Prompt): string {
  const parts: string[] = [];
  for (const message of prompt) {
    if (message.role === "system") {
      parts.push(message.content);
      continue;
    }
    for (const part of message.content) {
      if (part.type === "text" || part.type === "reasoning") parts.push(part.text);
      else if (part.type === "tool-call") parts.push(`${part.toolName} ${JSON.stringify(part.input)}`);
      else if (part.type === "tool-result")
        parts.push(
          "value" in part.output
            ? typeof part.output.value === "string"
              ? part.output.value
              : JSON.stringify(part.output.value)
            : (part.output.reason ?? ""),
        );
    }
  }
  return parts.join("\n");
}
