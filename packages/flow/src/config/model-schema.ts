import { z } from "zod";

/** Kinds of provider that are built in; a package name with '/' or 'npm:' before it names another AI SDK provider. */
export const PROVIDER_KINDS = [
  "openai",
  "openai_compatible",
  "gemini",
  "anthropic",
  "gguf",
  "simulated",
  "scripted",
] as const;

/** A built-in kind of provider. */
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** One model. */
export const modelSchema = z
  .strictObject({
    provider: z
      .union([z.enum(PROVIDER_KINDS), z.string().regex(/^(npm:.+|@[a-z0-9~][\w.~-]*\/[\w.~-]+)$/)])
      .describe("Kind of provider, or the package of an AI SDK provider, such as '@ai-sdk/mistral'."),
    model: z.string().min(1).describe("Name of the model; of a gguf model its file."),
    max_tokens: z.int().min(1).optional().describe("Output limit, always sent; default 4096."),
    temperature: z.number().min(0).max(2).optional().describe("Default 0.2; 0 is sent as 0."),
    top_p: z.number().gt(0).lte(1).optional(),
    seed: z.int().optional(),
    stop: z.array(z.string().min(1)).max(8).optional(),
    base_url: z.string().min(1).optional(),
    api_key: z.string().min(1).optional(),
    api_key_env: z.string().min(1).optional().describe("Environment variable that holds the key."),
    headers: z.record(z.string(), z.string()).optional(),
    context_window: z.int().min(256).optional().describe("Tokens of prompt and answer together."),
    price: z
      .strictObject({ input: z.number().min(0), output: z.number().min(0), cached_input: z.number().min(0).optional() })
      .optional()
      .describe("USD per million tokens."),
    fallback: z.array(z.string().min(1)).optional().describe("Models that are tried when this one fails."),
    tool_calling: z
      .enum(["native", "text"])
      .optional()
      .describe("'text' asks for tool calls as fenced JSON, for models without tool calling."),
    structured_output: z.enum(["native", "prompt"]).optional().describe("'prompt' asks for JSON in words only."),
    options: z.record(z.string(), z.unknown()).optional().describe("Passed through to the provider."),
  })
  .describe("A language model.");
