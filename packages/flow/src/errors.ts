import { CODES, type Code } from "./codes.ts";
import type { Position } from "./config/problem.ts";

/** Classes of failure; retries and fallbacks are chosen by them. */
export const FAILURE_CLASSES = [
  "rate_limited",
  "overloaded",
  "server",
  "network",
  "timeout",
  "invalid_request",
  "auth",
  "context_length",
  "content_filter",
  "bad_output",
  "tool",
  "guardrail",
  "budget",
  "cancelled",
  "internal",
] as const;

/** A class of failure. */
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** Where in a run an error arose. */
export interface ErrorPlace {
  readonly stepId?: string;
  readonly agentId?: string;
  readonly model?: string;
  readonly attempt?: number;
  readonly configPosition?: Position;
}

/** The plain form of an error, for records, events and results. */
export interface ErrorData extends ErrorPlace {
  readonly code: Code;
  readonly class: FailureClass;
  readonly message: string;
}

/**
 * The one run-time error of `flow`. `message` says what was wrong, the value seen and what to do, and holds no secret;
 * `place` says where, down to line and column of the flow file.
 */
export class FlowError extends Error {
  override readonly name = "FlowError";
  readonly code: Code;
  readonly class: FailureClass;
  readonly place: ErrorPlace;
  /** Wait that the provider asked for, in ms. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: Code,
    failureClass: FailureClass,
    message: string,
    options: { readonly cause?: unknown; readonly place?: ErrorPlace; readonly retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.class = failureClass;
    this.place = options.place ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }

  /** What can be done about errors of this code. */
  get solution(): string {
    return CODES[this.code].solution;
  }

  /** The same error with what is known about its place added; what was known stays. */
  at(place: ErrorPlace): FlowError {
    return new FlowError(this.code, this.class, this.message, {
      cause: this.cause,
      place: { ...place, ...this.place },
      retryAfterMs: this.retryAfterMs,
    });
  }

  /** Plain data, without cause and stack. */
  toData(): ErrorData {
    return { code: this.code, class: this.class, message: this.message, ...this.place };
  }
}

/** Returns `error` if it is a {@link FlowError}, else wraps it as E499. */
export function toFlowError(error: unknown): FlowError {
  if (error instanceof FlowError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new FlowError("E499", "internal", message === "" ? CODES.E499.meaning : message, { cause: error });
}

/** The error of recorded data. */
export function fromErrorData(data: ErrorData): FlowError {
  const { code, class: failureClass, message, ...place } = data;
  return new FlowError(code, failureClass, message, { place });
}

/** For the `default` branch of an exhaustive switch. */
export function assertNever(value: never): never {
  throw new FlowError("E499", "internal", `Unexpected value ${JSON.stringify(value)}.`);
}
