import { readdirSync } from "node:fs";
import { ERRORS } from "@praxis/env";
import { expect, test } from "vitest";
import { pageResponse } from "../src/page/index.ts";

test("/ and /web lead to /web/ by a relative redirect, so that a proxy's prefix stays", () => {
  for (const path of ["/", "/web"]) {
    const response = pageResponse(path);
    expect([response?.status, response?.headers.get("location")]).toEqual([307, "web/"]);
  }
});

test("every file of the page is served with its type and a policy that allows nothing from elsewhere", () => {
  for (const name of readdirSync(new URL("../web/", import.meta.url))) {
    const response = pageResponse(name === "index.html" ? "/web/" : `/web/assets/${name}`);
    const ending = { html: "text/html", css: "text/css", js: "text/javascript" }[name.split(".").at(-1)!];
    expect([name, response?.headers.get("content-type")]).toEqual([name, `${ending}; charset=utf-8`]);
    expect(response?.headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self'");
  }
});

test("the page loads nothing from another host", async () => {
  for (const name of readdirSync(new URL("../web/", import.meta.url))) {
    const response = pageResponse(name === "index.html" ? "/web/" : `/web/assets/${name}`);
    expect(await response?.text()).not.toMatch(/https?:\/\/|innerHTML|insertAdjacentHTML/);
  }
});

test("the hint of every error is the solution of the table of errors", async () => {
  const text = (await pageResponse("/web/assets/hints.js")?.text()) ?? "";
  const hints = JSON.parse(text.slice("export const HINTS = ".length, text.lastIndexOf(";"))) as object;
  expect(hints).toEqual(Object.fromEntries(Object.entries(ERRORS).map(([code, row]) => [code, row.solution])));
});

test.each(["/web/assets/", "/web/assets/../package.json", "/web/assets/toString", "/web/other", "/metadata", ""])(
  "'%s' is no part of the page",
  (path) => {
    expect(pageResponse(path)).toBeNull();
  },
);
