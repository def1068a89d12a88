// Writes docs/errors.md from the table of errors in packages/env. Run `npm run build` first.
import { writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

/** The page for a table of errors. */
export function formatErrorsDoc(errors) {
  const rows = Object.entries(errors).map(
    ([code, { status, wsCode, closeCode, fault, meaning, solution }]) =>
      `| \`${code}\` | ${status} | \`${wsCode}\` | ${closeCode ?? ""} | ${fault} | ${meaning} | ${solution} |`,
  );
  return `${[
    "# Errors",
    "",
    "Every error that Praxis raises on purpose is a `PraxisError` with one of these codes. The message says what was wrong, the value",
    "seen and what to do. HTTP replies carry the status; error frames on `/ws` carry the WebSocket code, and errors with a close code",
    "end the connection. This page is made by `node scripts/errors-doc.mjs` from `packages/env/src/errors.ts`.",
    "",
    "| code | HTTP | WebSocket | close | fault | meaning | what to do |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n")}\n`;
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) {
  const { ERRORS } = await import(new URL("../packages/env/dist/index.js", import.meta.url).href);
  await writeFile(new URL("../docs/errors.md", import.meta.url), formatErrorsDoc(ERRORS));
}
