import { findJsonError, PraxisError } from "@praxis/env";

/** Largest FHIR document that is read. */
const MAX_FHIR_BYTES = 5_000_000;

/**
 * Parses the text of a FHIR document. Throws INVALID_FHIR with line and column where it is not JSON (so `1.` and `.15`, which
 * JSON does not allow), or MESSAGE_TOO_LARGE. Decimals become numbers: `1.20` and `1.2` are the same value here.
 */
export function parseFhirJson(text: string): unknown {
  if (text.length > MAX_FHIR_BYTES)
    throw new PraxisError(
      "MESSAGE_TOO_LARGE",
      `The document has ${text.length} characters; at most ${MAX_FHIR_BYTES} are read.`,
    );
  const body = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    return JSON.parse(body) as unknown;
  } catch (cause) {
    const { offset, reason } = findJsonError(body);
    const before = body.slice(0, offset).split("\n");
    const near = body.slice(Math.max(0, offset - 12), offset + 12).replace(/\s+/g, " ");
    throw new PraxisError(
      "INVALID_FHIR",
      `The document is not JSON at line ${before.length}, column ${before.at(-1)!.length + 1}, near '${near}': ${reason}.`,
      { cause },
    );
  }
}
