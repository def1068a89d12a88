import { type ErrorCode, type FieldError, PraxisError, toPraxisError } from "../errors.ts";
import type { AutoresetMode, SavedEnv, VectorResetRequest } from "../vector/vector-env.ts";
import type { DefinitionSource } from "./serve-calls.ts";

/** What a worker is started with. */
export interface WorkerSetup extends DefinitionSource {
  readonly start: number;
  readonly count: number;
  readonly seed: number;
  readonly autoreset: AutoresetMode;
}

/** A call to a worker; it answers calls in order. */
export type WorkerCall =
  | { readonly kind: "reset"; readonly request: VectorResetRequest }
  | { readonly kind: "step"; readonly actions: readonly unknown[] }
  | { readonly kind: "setResetOptions"; readonly options: Readonly<Record<string, unknown>> }
  | { readonly kind: "save" }
  | { readonly kind: "restore"; readonly saved: readonly SavedEnv[] }
  | { readonly kind: "close" };

/** A {@link PraxisError} between threads; its cause stays behind. */
export interface ErrorMessage {
  readonly code: ErrorCode;
  readonly message: string;
  readonly fields: readonly FieldError[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** What a worker answers: first `{ observationSize }` once it has made its environments, then one reply per call. */
export type WorkerReply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: ErrorMessage };

/** First answer of a worker. */
export interface WorkerReady {
  readonly observationSize: number | null;
}

/** An error as plain data. */
export function packError(error: unknown): ErrorMessage {
  const { code, message, fields, details } = toPraxisError(error);
  return { code, message, fields, details };
}

/** The error that {@link packError} packed. */
export function unpackError({ code, message, fields, details }: ErrorMessage): PraxisError {
  return new PraxisError(code, message, { fields, details });
}
