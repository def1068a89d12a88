import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Page } from "../src/page.ts";

const folder = fileURLToPath(new URL("./fixtures/page/", import.meta.url));
const page = new Page(folder);

test("/ and /web lead to /web/ by a relative redirect, so that a proxy's prefix stays", () => {
  for (const path of ["/", "/web"]) {
    const response = page.respond(path);
    expect([response?.status, response?.headers.get("location")]).toEqual([307, "web/"]);
  }
});

test("files are served with their type, a policy that runs no foreign script, and a name with a hash is kept for good", () => {
  const index = page.respond("/web/");
  expect(index?.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(index?.headers.get("cache-control")).toBe("no-cache");
  expect(index?.headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self'");
  const script = page.respond("/web/assets/main-abc123.js");
  expect(script?.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(script?.headers.get("cache-control")).toContain("immutable");
});

test("a client that takes gzip gets the same bytes, compressed", async () => {
  const plain = await page.respond("/web/")?.text();
  const packed = page.respond("/web/", "br, gzip");
  expect(packed?.headers.get("content-encoding")).toBe("gzip");
  expect(gunzipSync(Buffer.from(await packed!.arrayBuffer())).toString()).toBe(plain);
});

test.each(["/web/assets/", "/web/assets/../notes.txt", "/web/notes.txt", "/web/assets/toString", "/metadata", ""])(
  "'%s' is no part of the page",
  (path) => {
    expect(page.respond(path)).toBeNull();
  },
);

test("a folder without a page is refused, and says how to build one", () => {
  expect(() => new Page(`${folder}assets`)).toThrow("npm run build");
});
