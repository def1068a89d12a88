import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { type FailureClass, FlowError } from "../errors.ts";

const CONTEXT_LENGTH =
  /context.{0,20}(?:length|window)|maximum context|too many (?:input )?tokens|prompt is too long|input is too long|exceeds? the (?:maximum|context)|reduce the length/i;
const CONTENT_FILTER = /content.?(?:filter|policy|management)|safety|blocked/i;

/**
 * The failure class of whatever a provider package threw, as FlowError E401. The message names provider, model and
 * status, and quotes at most 300 characters of the provider's own; never headers, body or key.
 *
 * @param nowMs real time in ms since 1970, for a `Retry-After` that is a date
 */
export function classifyProviderError(
  error: unknown,
  place: { readonly provider: string; readonly model: string; readonly nowMs: number },
): FlowError {
  if (error instanceof FlowError) return error;
  const at = `${place.provider} (${place.model})`;
  if (APICallError.isInstance(error)) {
    const status = error.statusCode;
    const failureClass = classOfStatus(status, error.message, error.responseBody);
    const said = shorten(error.message);
    const message =
      status === undefined
        ? `${at} can't be reached: ${said}`
        : status < 300
          ? `${at} answered what can't be read: ${said}`
          : `${at} answered ${status}: ${said}`;
    return new FlowError("E401", failureClass, message, {
      cause: undefined,
      retryAfterMs: retryAfter(error.responseHeaders, place.nowMs),
    });
  }
  if (LoadAPIKeyError.isInstance(error))
    return new FlowError("E401", "auth", `${at} has no key: ${shorten(error.message)}`);
  if (
    JSONParseError.isInstance(error) ||
    TypeValidationError.isInstance(error) ||
    InvalidResponseDataError.isInstance(error) ||
    EmptyResponseBodyError.isInstance(error)
  )
    return new FlowError("E401", "server", `${at} answered what can't be read: ${shorten((error as Error).message)}`);
  if (UnsupportedFunctionalityError.isInstance(error))
    return new FlowError("E401", "invalid_request", `${at} can't do this: ${shorten(error.message)}`);
  const text = describe(error);
  // Errors inside a stream come as the provider's own object or text.
  const status = /\b(429|5\d\d|4\d\d)\b/.exec(text)?.[1];
  if (/overloaded/i.test(text))
    return new FlowError("E401", "overloaded", `${at} failed in its stream: ${shorten(text)}`);
  if (/rate.?limit/i.test(text))
    return new FlowError("E401", "rate_limited", `${at} failed in its stream: ${shorten(text)}`);
  if (status !== undefined)
    return new FlowError(
      "E401",
      classOfStatus(Number(status), text, undefined),
      `${at} failed in its stream: ${shorten(text)}`,
    );
  if (isNetwork(error)) return new FlowError("E401", "network", `${at} can't be reached: ${shorten(text)}`);
  return new FlowError("E401", "server", `${at} failed: ${shorten(text)}`);
}

function classOfStatus(status: number | undefined, message: string, body: string | undefined): FailureClass {
  const text = `${message} ${(body ?? "").slice(0, 4_000)}`;
  if (status === undefined) return "network";
  if (status === 429) return "rate_limited";
  if (status === 503 || status === 529) return "overloaded";
  if (status === 408 || status === 504) return "timeout";
  if (status >= 500) return "server";
  if (status === 401 || status === 403) return "auth";
  if (status === 413 || (status >= 400 && CONTEXT_LENGTH.test(text))) return "context_length";
  if (status >= 400) return CONTENT_FILTER.test(text) ? "content_filter" : "invalid_request";
  return "server";
}

function retryAfter(headers: Readonly<Record<string, string>> | undefined, nowMs: number): number | undefined {
  const precise = Number(headers?.["retry-after-ms"]);
  if (Number.isFinite(precise) && precise >= 0 && headers?.["retry-after-ms"] !== undefined) return precise;
  const given = headers?.["retry-after"];
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function describe(error: unknown): string {
  if (typeof error === "string") return error;
  if (error instanceof Error) return error.message;
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    return String(error);
  }
}

function isNetwork(error: unknown): boolean {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    const { code } = inner as { readonly code?: unknown };
    if (typeof code === "string" && /^(?:ECONN|ENOTFOUND|ETIMEDOUT|EPIPE|EAI_|UND_ERR)/.test(code)) return true;
    if (/fetch failed|terminated|socket hang up|network|other side closed|aborted/i.test(inner.message)) return true;
  }
  return false;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= 300 ? line : `${line.slice(0, 300)}…`;
}
