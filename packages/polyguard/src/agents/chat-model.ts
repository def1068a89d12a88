import { PraxisError } from "@praxis/env";
import { z } from "zod";
import type { RoleModel } from "./role-model.ts";

/** Where a model answers. */
export interface ChatModelSettings {
  /** Root of an OpenAI-compatible service, e.g. `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Sent as a bearer token and nowhere else. */
  readonly apiKey?: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
const MAX_TOKENS = 600;

const replySchema = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })).min(1),
});

/** A language model behind `POST {baseUrl}/chat/completions`. Throws INVALID_CONFIG for a root that is no http address. */
export function makeChatModel({ baseUrl, model, apiKey, timeoutMs = TIMEOUT_MS }: ChatModelSettings): RoleModel {
  if (!/^https?:\/\//u.test(baseUrl))
    throw new PraxisError("INVALID_CONFIG", "The address of the model must begin with http:// or https://.");
  const url = `${baseUrl.replace(/\/+$/u, "")}/chat/completions`;
  return async ({ system, user }) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        temperature: 0,
        max_tokens: MAX_TOKENS,
        messages: [
          { role: "system", content: system },
          { role: "user", content: user },
        ],
      }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause: unknown) => {
      const isLate = cause instanceof Error && cause.name === "TimeoutError";
      throw new Error(isLate ? `no answer within ${timeoutMs} ms` : "the model cannot be reached", { cause });
    });
    if (!response.ok) throw new Error(`the model answered with HTTP ${response.status}`);
    const parsed = replySchema.safeParse(await response.json().catch(() => null));
    if (!parsed.success) throw new Error("the model's reply is not a chat completion");
    return parsed.data.choices[0]!.message.content;
  };
}
