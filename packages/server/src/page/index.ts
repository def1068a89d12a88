import { readFileSync } from "node:fs";
import { ERRORS } from "@praxis/env";

const SCRIPT = "text/javascript; charset=utf-8";

/** Files of the page, which lie beside `src` so that `src` and `dist` find them alike, and their types. */
const FILES = {
  "index.html": "text/html; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
  "page.js": SCRIPT,
  "candidates.js": SCRIPT,
  "element.js": SCRIPT,
  "field.js": SCRIPT,
  "form.js": SCRIPT,
  "list.js": SCRIPT,
  "results.js": SCRIPT,
  "review.js": SCRIPT,
  "server.js": SCRIPT,
  "socket.js": SCRIPT,
  "tree.js": SCRIPT,
} as const;

const HEADERS = {
  // Everything comes from this server, and text of environments could not run even if it were put into the page as markup.
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};

const loaded = new Map<string, Uint8Array<ArrayBuffer>>();

function load(name: string): Uint8Array<ArrayBuffer> {
  let bytes = loaded.get(name);
  if (bytes === undefined) {
    bytes = new Uint8Array(readFileSync(new URL(`../../web/${name}`, import.meta.url)));
    loaded.set(name, bytes);
  }
  return bytes;
}

/** Module of the page: what to do about each error, from the one table of errors. */
function hints(): string {
  const rows = Object.entries(ERRORS).map(([code, row]) => [code, row.solution]);
  return `export const HINTS = ${JSON.stringify(Object.fromEntries(rows))};\n`;
}

/**
 * The reply to a GET of the page or one of its files, or null for any other path. `path` is relative to where the page is
 * mounted: "/" and "/web" lead to "/web/" by a relative redirect, so that a prefix in front of the server stays.
 */
export function pageResponse(path: string): Response | null {
  if (path === "/" || path === "/web") return new Response(null, { status: 307, headers: { location: "web/" } });
  const asset = "/web/assets/";
  if (path === `${asset}hints.js`) return new Response(hints(), { headers: { ...HEADERS, "content-type": SCRIPT } });
  const name = path === "/web/" ? "index.html" : path.startsWith(asset) ? path.slice(asset.length) : "";
  if (!Object.hasOwn(FILES, name)) return null;
  return new Response(load(name), { headers: { ...HEADERS, "content-type": FILES[name as keyof typeof FILES] } });
}
