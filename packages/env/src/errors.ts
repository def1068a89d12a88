/** Who has to change something for the call to succeed. */
export type Fault = "caller" | "environment" | "server" | "network";

/** One row of the table of errors. */
export interface ErrorRow {
  readonly status: number;
  /** Code of an error frame on `/ws`; the names OpenEnv clients know. */
  readonly wsCode:
    | "INVALID_JSON"
    | "UNKNOWN_TYPE"
    | "VALIDATION_ERROR"
    | "EXECUTION_ERROR"
    | "SESSION_ERROR"
    | "CAPACITY_REACHED"
    | "FACTORY_ERROR";
  /** WebSocket close code when the error ends the connection, else null. */
  readonly closeCode: number | null;
  readonly fault: Fault;
  readonly meaning: string;
  readonly solution: string;
}

/** Every error that Praxis raises on purpose; `docs/errors.md` is made from it. */
export const ERRORS = {
  INVALID_JSON: {
    status: 400,
    wsCode: "INVALID_JSON",
    closeCode: null,
    fault: "caller",
    meaning: "The text is not JSON, or is not a JSON object.",
    solution: "Send one JSON object as text.",
  },
  UNKNOWN_TYPE: {
    status: 400,
    wsCode: "UNKNOWN_TYPE",
    closeCode: null,
    fault: "caller",
    meaning: "The message type is missing or not known.",
    solution: "Use reset, step, state, close or mcp.",
  },
  VALIDATION_ERROR: {
    status: 422,
    wsCode: "VALIDATION_ERROR",
    closeCode: null,
    fault: "caller",
    meaning: "The message does not fit its schema; nothing was changed.",
    solution: "Compare the message with /schema; each entry names the field.",
  },
  MESSAGE_TOO_LARGE: {
    status: 413,
    wsCode: "VALIDATION_ERROR",
    closeCode: 1009,
    fault: "caller",
    meaning: "The message is larger than the server accepts.",
    solution: "Send less, or raise the server's message limit.",
  },
  RESET_NEEDED: {
    status: 409,
    wsCode: "EXECUTION_ERROR",
    closeCode: null,
    fault: "caller",
    meaning: "The episode has ended or has not begun.",
    solution: "Call reset before the next step.",
  },
  UNKNOWN_ENVIRONMENT: {
    status: 404,
    wsCode: "SESSION_ERROR",
    closeCode: 1000,
    fault: "caller",
    meaning: "No environment of that name is registered.",
    solution: "Choose a listed environment; the message names the nearest.",
  },
  UNKNOWN_NAME: {
    status: 422,
    wsCode: "VALIDATION_ERROR",
    closeCode: null,
    fault: "caller",
    meaning: "A name (policy, option, component, drug …) is not known.",
    solution: "Use the nearest name in the message.",
  },
  UNKNOWN_SESSION: {
    status: 404,
    wsCode: "SESSION_ERROR",
    closeCode: 1000,
    fault: "caller",
    meaning: "The session does not exist or has ended.",
    solution: "Open a new session.",
  },
  SESSION_BUSY: {
    status: 409,
    wsCode: "SESSION_ERROR",
    closeCode: 1000,
    fault: "caller",
    meaning: "The session is attached to another socket or still opening.",
    solution: "Close the other socket, or retry shortly.",
  },
  CAPACITY_REACHED: {
    status: 503,
    wsCode: "CAPACITY_REACHED",
    closeCode: 1000,
    fault: "server",
    meaning: "The server has no free session slot.",
    solution: "Retry later, or raise --max-sessions.",
  },
  FACTORY_ERROR: {
    status: 500,
    wsCode: "FACTORY_ERROR",
    closeCode: 1000,
    fault: "environment",
    meaning: "The environment could not be constructed.",
    solution: "Read the server's log; the cause is there.",
  },
  STEP_TIMEOUT: {
    status: 504,
    wsCode: "EXECUTION_ERROR",
    closeCode: null,
    fault: "environment",
    meaning: "The environment did not answer within the deadline.",
    solution: "Retry, reset, or raise the deadline.",
  },
  ENVIRONMENT_ERROR: {
    status: 500,
    wsCode: "EXECUTION_ERROR",
    closeCode: null,
    fault: "environment",
    meaning: "The environment raised an error; state is as before the call.",
    solution: "Report it with the seed and the trace.",
  },
  NON_FINITE_NUMBER: {
    status: 500,
    wsCode: "EXECUTION_ERROR",
    closeCode: null,
    fault: "environment",
    meaning: "The environment returned NaN or an infinity; state is as before the call.",
    solution: "Report it with the seed and the trace.",
  },
  VERIFIER_ERROR: {
    status: 502,
    wsCode: "EXECUTION_ERROR",
    closeCode: null,
    fault: "environment",
    meaning: "A judge or verifier failed; the step is unscored, which is not a score of 0.",
    solution: "Retry, or leave the episode out of means and training.",
  },
  REWARD_MISMATCH: {
    status: 500,
    wsCode: "EXECUTION_ERROR",
    closeCode: null,
    fault: "environment",
    meaning: "A final reward differs from the one that the environment gave.",
    solution: "Forward the environment's reward; do not compute another.",
  },
  WORKER_DIED: {
    status: 500,
    wsCode: "EXECUTION_ERROR",
    closeCode: null,
    fault: "environment",
    meaning: "A worker thread ended or broke; the episodes it ran are gone.",
    solution: "Read the cause, then make a new vector environment.",
  },
  NOT_SUPPORTED: {
    status: 501,
    wsCode: "EXECUTION_ERROR",
    closeCode: null,
    fault: "caller",
    meaning: "This environment or mode does not offer the call.",
    solution: "See /metadata and /openapi.json for what is offered.",
  },
  UNAUTHORIZED: {
    status: 401,
    wsCode: "SESSION_ERROR",
    closeCode: 1008,
    fault: "caller",
    meaning: "A token is needed for this door.",
    solution: "Send Authorization: Bearer TOKEN.",
  },
  FORBIDDEN: {
    status: 403,
    wsCode: "SESSION_ERROR",
    closeCode: 1008,
    fault: "caller",
    meaning: "This role may not use this door.",
    solution: "Use a token of the right role.",
  },
  SHUTTING_DOWN: {
    status: 503,
    wsCode: "SESSION_ERROR",
    closeCode: 1001,
    fault: "server",
    meaning: "The server is shutting down.",
    solution: "Reconnect to another server.",
  },
  SESSION_EXPIRED: {
    status: 410,
    wsCode: "SESSION_ERROR",
    closeCode: 4408,
    fault: "caller",
    meaning: "The session was idle too long and was closed.",
    solution: "Open a new session, or raise --session-timeout.",
  },
  CONNECTION_LOST: {
    status: 502,
    wsCode: "SESSION_ERROR",
    closeCode: null,
    fault: "network",
    meaning: "The connection broke and could not be resumed.",
    solution: "Reset; the episode in progress is gone.",
  },
  CLIENT_TIMEOUT: {
    status: 504,
    wsCode: "SESSION_ERROR",
    closeCode: null,
    fault: "network",
    meaning: "No reply arrived in time; the socket was dropped so that a late reply can't be mistaken.",
    solution: "Reconnect, or raise messageTimeoutMs.",
  },
  INVALID_CONFIG: {
    status: 500,
    wsCode: "SESSION_ERROR",
    closeCode: null,
    fault: "caller",
    meaning: "A setting, table or definition is wrong.",
    solution: "The message names file, row or option.",
  },
  INVALID_TRACE: {
    status: 422,
    wsCode: "VALIDATION_ERROR",
    closeCode: null,
    fault: "caller",
    meaning: "The trace is not readable or of an unknown version.",
    solution: "Record it again with this version.",
  },
  PRECONDITION_FAILED: {
    status: 412,
    wsCode: "VALIDATION_ERROR",
    closeCode: null,
    fault: "caller",
    meaning: "The call lacks data that it needs and that is not fetched from elsewhere.",
    solution: "Send what the message names.",
  },
  INVALID_FHIR: {
    status: 422,
    wsCode: "VALIDATION_ERROR",
    closeCode: null,
    fault: "caller",
    meaning: "The FHIR document can't be used.",
    solution: "The message names resource, path and value.",
  },
  ALL_MASKED: {
    status: 500,
    wsCode: "EXECUTION_ERROR",
    closeCode: null,
    fault: "environment",
    meaning: "An action mask allows nothing.",
    solution: "Report it with the seed and the trace.",
  },
} as const satisfies Record<string, ErrorRow>;

/** Name of a row of the table. */
export type ErrorCode = keyof typeof ERRORS;

/** One thing wrong with one field, in the shape OpenEnv's validators answer. */
export interface FieldError {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/**
 * The one error class of Praxis. `message` says what was wrong, the value seen and what to do; `code` is a row of
 * {@link ERRORS}; `details` are extra keys for the wire, free of secrets and stack traces.
 */
export class PraxisError extends Error {
  override readonly name = "PraxisError";
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[];
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly fields?: readonly FieldError[];
      readonly details?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fields = options.fields ?? [];
    this.details = options.details ?? {};
  }

  /** The table row of this error. */
  get row(): ErrorRow {
    return ERRORS[this.code];
  }
}

/** Returns `error` if it is a {@link PraxisError}, else wraps it under `code` (default ENVIRONMENT_ERROR) with its message. */
export function toPraxisError(error: unknown, code: ErrorCode = "ENVIRONMENT_ERROR"): PraxisError {
  if (error instanceof PraxisError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new PraxisError(code, message === "" ? ERRORS[code].meaning : message, { cause: error });
}

/** For the `default` branch of an exhaustive switch. */
export function assertNever(value: never): never {
  throw new PraxisError("INVALID_CONFIG", `Unexpected value ${JSON.stringify(value)}.`);
}
