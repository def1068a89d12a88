/** What kind of mistake an {@link NnError} reports. */
export type NnErrorCode =
  | "BAD_SHAPE"
  | "BAD_INDEX"
  | "BAD_OPTION"
  | "FOREIGN_ARRAY"
  | "KERNELS_UNAVAILABLE"
  | "NON_FINITE"
  | "OUT_OF_MEMORY"
  | "BAD_FILE"
  | "EMPTY_MASK";

/** An error that nn raises on purpose; what was passed in is unchanged unless the message says otherwise. */
export class NnError extends Error {
  readonly code: NnErrorCode;

  constructor(code: NnErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "NnError";
    this.code = code;
  }
}
