import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { assertNever, ERRORS, PraxisError, toPraxisError } from "../src/errors.ts";

describe("the table of errors", () => {
  test("every row has a sentence on what it means and one on what to do", () => {
    for (const row of Object.values(ERRORS)) {
      expect(row.meaning).toMatch(/^[A-Z].*\.$/);
      expect(row.solution).toMatch(/^[A-Z].*\.$/);
    }
  });

  test("a fault of the server or environment is never reported as the client's", () => {
    for (const [code, row] of Object.entries(ERRORS))
      if (row.fault !== "caller") expect([code, row.status >= 500]).toEqual([code, true]);
  });

  test("docs/errors.md is made from it: `node scripts/errors-doc.mjs` after a build", async () => {
    const script = new URL("../../../scripts/errors-doc.mjs", import.meta.url).href;
    const { formatErrorsDoc } = (await import(script)) as { formatErrorsDoc(errors: typeof ERRORS): string };
    const page = await readFile(new URL("../../../docs/errors.md", import.meta.url), "utf8");
    expect(page).toBe(formatErrorsDoc(ERRORS));
  });
});

describe("PraxisError", () => {
  test("it carries its row, its cause and its fields", () => {
    const cause = new Error("root");
    const error = new PraxisError("STEP_TIMEOUT", "Too slow.", { cause, details: { afterMs: 5 } });
    expect(error.row.status).toBe(504);
    expect(error.cause).toBe(cause);
    expect(error.fields).toEqual([]);
    expect(error.details).toEqual({ afterMs: 5 });
  });

  test("wrapping keeps a PraxisError as it is and gives others a code and a message", () => {
    const known = new PraxisError("RESET_NEEDED", "Call reset.");
    expect(toPraxisError(known, "FACTORY_ERROR")).toBe(known);
    expect(toPraxisError(new Error("boom"))).toMatchObject({ code: "ENVIRONMENT_ERROR", message: "boom" });
    expect(toPraxisError(new Error(""), "FACTORY_ERROR").message).toBe(ERRORS.FACTORY_ERROR.meaning);
    expect(toPraxisError("text")).toMatchObject({ message: "text", cause: "text" });
  });

  test("an unexpected case names the value", () => {
    expect(() => assertNever("left" as never)).toThrow('Unexpected value "left".');
  });
});
