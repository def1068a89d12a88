/** What kind of mistake an {@link LlmError} reports. */
export type LlmErrorCode = "MODEL_UNAVAILABLE" | "BAD_CHECKSUM" | "BAD_FILE";

/** An error that llm raises on purpose; no file or model has changed. */
export class LlmError extends Error {
  readonly code: LlmErrorCode;

  constructor(code: LlmErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LlmError";
    this.code = code;
  }
}
