import { ERRORS, type ErrorCode, type FieldError, PraxisError } from "../errors.ts";

type Json = Readonly<Record<string, unknown>>;

/** True for a plain JSON object. */
export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isCode = (value: unknown): value is ErrorCode => typeof value === "string" && Object.hasOwn(ERRORS, value);

function readFields(value: unknown): readonly FieldError[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (entry): entry is FieldError =>
      isRecord(entry) && typeof entry.type === "string" && typeof entry.msg === "string" && Array.isArray(entry.loc),
  );
}

/** The error of a frame's or a reply's keys; `details` keeps what has no place of its own, the foreign code included. */
function makeError(code: ErrorCode, message: unknown, body: Json): PraxisError {
  const { message: _message, errors, detail, ...details } = body;
  const fields = readFields(errors ?? detail);
  const text = typeof message === "string" && message !== "" ? message : ERRORS[code].meaning;
  // Servers say only "Invalid message" and leave the rest to the entries.
  const rest = fields.map(({ loc, msg }) => `${loc.join(".") || "the whole"}: ${msg}`).join("; ");
  return new PraxisError(code, rest === "" ? text : `${text.replace(/\.$/, "")} (${rest}).`, { fields, details });
}

/** Sessions are refused with one code and several texts; the texts are constants of the protocol. */
function sessionCode(message: string, isOpening: boolean): ErrorCode {
  if (/unknown session/i.test(message)) return "UNKNOWN_SESSION";
  if (/already has an attached|still initializing/i.test(message)) return "SESSION_BUSY";
  return isOpening ? "FACTORY_ERROR" : "CONNECTION_LOST";
}

/**
 * The local error of an error frame. Praxis servers name the row of the table in `praxis_code`; of others the OpenEnv code is
 * translated, and kept in `details.code`. @param isOpening true before the first reply of a connection
 */
export function errorFromFrame(data: unknown, isOpening: boolean): PraxisError {
  const body = isRecord(data) ? data : {};
  const message = typeof body.message === "string" ? body.message : "";
  if (isCode(body.praxis_code)) return makeError(body.praxis_code, message, body);
  if (isCode(body.code)) return makeError(body.code, message, body);
  if (body.code === "SESSION_ERROR") return makeError(sessionCode(message, isOpening), message, body);
  return makeError("ENVIRONMENT_ERROR", message, body);
}

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: "VALIDATION_ERROR",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_SUPPORTED",
  405: "NOT_SUPPORTED",
  409: "RESET_NEEDED",
  410: "SESSION_EXPIRED",
  413: "MESSAGE_TOO_LARGE",
  422: "VALIDATION_ERROR",
  501: "NOT_SUPPORTED",
  502: "CONNECTION_LOST",
  503: "CAPACITY_REACHED",
  504: "STEP_TIMEOUT",
};

/** The local error of an HTTP reply that is no success. @param body parsed JSON, or undefined if it was not JSON */
export function errorFromHttp(status: number, body: unknown, what: string): PraxisError {
  const record = isRecord(body) ? body : {};
  const detail = typeof record.detail === "string" ? record.detail : "";
  const fallback = `${what} answered ${status}${detail === "" ? "" : `: ${detail}`}.`;
  if (isCode(record.code)) return makeError(record.code, record.message ?? detail, record);
  if (/^unknown environment/i.test(detail)) return makeError("UNKNOWN_ENVIRONMENT", detail, record);
  return makeError(CODE_OF_STATUS[status] ?? "ENVIRONMENT_ERROR", fallback, record);
}

/** The local error of the `error` member of a JSON-RPC reply. */
export function errorFromRpc(error: unknown): PraxisError {
  const body = isRecord(error) ? error : {};
  const data = isRecord(body.data) ? body.data : {};
  const message = typeof body.message === "string" ? body.message : "";
  const details = { ...data, rpcCode: body.code };
  if (isCode(data.praxis_code)) return makeError(data.praxis_code, message, details);
  return makeError(rpcCode(body.code, message, data), message, details);
}

function rpcCode(code: unknown, message: string, data: Json): ErrorCode {
  if (code === -32700) return "INVALID_JSON";
  if (code === -32600) return /still initializing/i.test(message) ? "SESSION_BUSY" : "VALIDATION_ERROR";
  if (code === -32601) return "NOT_SUPPORTED";
  if (/unknown session/i.test(message)) return "UNKNOWN_SESSION";
  if (/tool not found|unknown tool/i.test(message)) return "UNKNOWN_NAME";
  if (code === -32602) return "VALIDATION_ERROR";
  if (/does not support MCP/i.test(message)) return "NOT_SUPPORTED";
  if ("max_sessions" in data) return "CAPACITY_REACHED";
  if ("factory_name" in data) return "FACTORY_ERROR";
  return "ENVIRONMENT_ERROR";
}

/** The local error of a socket that closed: the table's close codes, else CONNECTION_LOST. */
export function errorFromClose(code: number | undefined, reason: string, cause: string): PraxisError {
  const found: Readonly<Record<number, ErrorCode>> = {
    1001: "SHUTTING_DOWN",
    1008: "UNAUTHORIZED",
    1009: "MESSAGE_TOO_LARGE",
    4408: "SESSION_EXPIRED",
  };
  const row = found[code ?? 0] ?? "CONNECTION_LOST";
  const why = [reason, cause].filter((text) => text !== "").join("; ");
  return new PraxisError(row, `The server's socket closed (${code ?? "no code"})${why === "" ? "" : `: ${why}`}.`, {
    details: { closeCode: code ?? null },
  });
}

/** True when the same call may be sent again as it is and may then succeed: nothing was done, only no place was free. */
export function isRetryable(error: unknown): boolean {
  return error instanceof PraxisError && (error.code === "CAPACITY_REACHED" || error.code === "SESSION_BUSY");
}
