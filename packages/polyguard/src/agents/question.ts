import type { z } from "zod";
import type { RoleName } from "./transcript.ts";

/** A question to a role, answered by code or by a language model. */
export interface Question {
  readonly role: RoleName;
  /** What is asked and in which form the answer is wanted. */
  readonly task: string;
  /** Says what is wrong with an answer, or null. */
  readonly check: (value: unknown) => string | null;
}

/** A question that knows the form of its answer. */
export interface TypedQuestion<T> {
  readonly role: RoleName;
  readonly task: string;
  readonly schema: z.ZodType<T>;
  /** What no schema can say, e.g. that an id is on the list. */
  readonly refuse?: (value: T) => string | null;
  /** The answer of the role played by code. */
  readonly byCode: () => T;
}

/** Asks a role inside a step; whoever drives the step sends null for "played by code" or a checked answer. */
export function* ask<T>({ role, task, schema, refuse, byCode }: TypedQuestion<T>): Generator<Question, T, unknown> {
  const check = (value: unknown): string | null => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return refuse?.(parsed.data) ?? null;
    const { path, message } = parsed.error.issues[0]!;
    return `${path.join(".") || "the answer"}: ${message}`;
  };
  const answer = yield { role, task, check };
  return answer === null || answer === undefined ? byCode() : schema.parse(answer);
}
