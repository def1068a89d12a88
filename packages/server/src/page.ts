import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { PraxisError } from "@praxis/env";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

const HEADERS = {
  // Code and style come from this server alone, and text of environments could not run even if it were put into the page as
  // markup. The page may connect elsewhere: it plays environments of other servers by their address.
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' http: https: ws: wss:; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

interface PageFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Made when first asked for. */
  gzipped: Uint8Array<ArrayBuffer> | null;
}

/** A built page: `index.html` and what lies in `assets`, read once. */
export class Page {
  readonly #files = new Map<string, PageFile>();

  /** Throws INVALID_CONFIG unless the folder holds a built page. */
  constructor(folder: string) {
    const index = join(folder, "index.html");
    if (!existsSync(index))
      throw new PraxisError("INVALID_CONFIG", `There is no page in '${folder}'. Build it: npm run build.`);
    this.#read("/web/", index, "no-cache");
    const assets = join(folder, "assets");
    // The names of assets hold a hash of their content, so that one that was read is never stale.
    for (const name of existsSync(assets) ? readdirSync(assets) : [])
      this.#read(`/web/assets/${name}`, join(assets, name), "public, max-age=31536000, immutable");
  }

  /**
   * The reply to a GET of the page or one of its files, or null for any other path. `path` is relative to where the page is
   * mounted: "/" and "/web" lead to "/web/" by a relative redirect, so that a prefix in front of the server stays.
   */
  respond(path: string, acceptEncoding = ""): Response | null {
    if (path === "/" || path === "/web") return new Response(null, { status: 307, headers: { location: "web/" } });
    const file = this.#files.get(path);
    if (file === undefined) return null;
    if (!/\bgzip\b/.test(acceptEncoding)) return new Response(file.bytes, { headers: file.headers });
    file.gzipped ??= new Uint8Array(gzipSync(file.bytes));
    return new Response(file.gzipped, { headers: { ...file.headers, "content-encoding": "gzip" } });
  }

  #read(path: string, from: string, cacheControl: string): void {
    const type = TYPES[from.slice(from.lastIndexOf(".") + 1)];
    if (type === undefined) return;
    this.#files.set(path, {
      headers: { ...HEADERS, "content-type": type, "cache-control": cacheControl, vary: "accept-encoding" },
      bytes: new Uint8Array(readFileSync(from)),
      gzipped: null,
    });
  }
}
