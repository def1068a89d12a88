import { type ErrorRow, PraxisError, toPraxisError } from "@praxis/env";
import { withShortInput, withUrl } from "./lax-parse.ts";

/** `data` of an error frame: OpenEnv's code and text, field errors, and the details of the error as further keys. */
function errorData(error: PraxisError): Record<string, unknown> {
  const code: ErrorRow["wsCode"] = error.row.wsCode;
  const hasFields = error.fields.length > 0;
  return {
    message: code === "VALIDATION_ERROR" && hasFields ? "Invalid message" : error.message,
    code,
    ...(code === "VALIDATION_ERROR" ? { errors: error.fields.map(withUrl) } : {}),
    ...error.details,
    ...(error.code === code ? {} : { praxis_code: error.code }),
  };
}

/** An error frame without its closing brace, so that a request id can follow. */
export function openErrorFrame(error: unknown): string {
  return `{"type":"error","data":${JSON.stringify(errorData(toPraxisError(error)))}`;
}

/** JSON body of an HTTP error. `detail` is what OpenEnv sends; `code` names the row of the table of errors. */
export function errorBody(error: PraxisError, useUrls = false): Record<string, unknown> {
  if (error.code === "VALIDATION_ERROR" && error.fields.length > 0)
    return { detail: error.fields.map(useUrls ? withUrl : withShortInput) };
  return { detail: error.message, code: error.code, ...error.details };
}

/** An error that is the server's own fault, without its text: that is for the log. */
export function internalError(cause: unknown): PraxisError {
  return cause instanceof PraxisError
    ? cause
    : new PraxisError("ENVIRONMENT_ERROR", "Internal Server Error", { cause });
}
