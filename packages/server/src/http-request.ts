import { type FieldError, findJsonError, PraxisError } from "@praxis/env";
import type { Context } from "hono";
import { isRecord } from "./action.ts";
import { checkParsedText, parseJsonText } from "./json-text.ts";
import { fieldsError } from "./lax-parse.ts";

/**
 * The JSON body of a request, whatever its content type; undefined if it is empty. Throws VALIDATION_ERROR with the fields
 * that OpenEnv would name.
 */
async function readBody(c: Context): Promise<unknown> {
  const text = await c.req.text();
  if (text.trim() === "") return undefined;
  try {
    const value = parseJsonText(text);
    checkParsedText(text, value);
    return value;
  } catch (error) {
    if (!(error instanceof PraxisError)) throw error;
    if (error.code === "VALIDATION_ERROR")
      throw fieldsError(error.fields.map((field) => ({ ...field, loc: ["body", ...field.loc] })));
    const { offset, reason } = findJsonError(text);
    throw fieldsError([
      { type: "json_invalid", loc: ["body", offset], msg: "JSON decode error", input: {}, ctx: { error: reason } },
    ]);
  }
}

const MISSING: FieldError = { type: "missing", loc: ["body"], msg: "Field required", input: null };

/** The body as an object; absent and null are `whenAbsent`, or a VALIDATION_ERROR without it. */
export async function readObject(c: Context, whenAbsent?: Record<string, unknown>): Promise<Record<string, unknown>> {
  const body = await readBody(c);
  if (isRecord(body)) return body;
  if (body !== undefined && body !== null)
    throw fieldsError([
      {
        type: "model_attributes_type",
        loc: ["body"],
        msg: "Input should be a valid dictionary or object to extract fields from",
        input: body,
      },
    ]);
  if (whenAbsent === undefined) throw fieldsError([MISSING]);
  return whenAbsent;
}
