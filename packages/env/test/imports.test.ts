import { readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { describe, expect, test } from "vitest";

/** Every module that `entry` leads to over relative imports, and every package named on the way. */
async function importsOf(
  entry: string,
): Promise<{ readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> }> {
  const files = new Set<string>();
  const packages = new Set<string>();
  const open = [new URL(entry, import.meta.url)];
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (files.has(url.href)) continue;
    files.add(url.href);
    const source = await readFile(url, "utf8");
    for (const [, , name] of source.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*(["'])([^"']+)\1/g)) {
      if (name!.startsWith(".")) open.push(new URL(name!, url));
      else packages.add(name!);
    }
  }
  return { files, packages };
}
const nodeOnly = (packages: ReadonlySet<string>) =>
  [...packages].filter((name) => name.startsWith("node:") || builtinModules.includes(name));

describe("what runs in a browser", () => {
  test.each(["../src/index.ts", "../src/remote/index.ts", "../src/testing/index.ts"])(
    "%s leads to no Node built-in and to no package but zod",
    async (entry) => {
      const { files, packages } = await importsOf(entry);
      expect(files.size).toBeGreaterThan(5);
      expect([...packages].filter((name) => name !== "zod")).toEqual([]);
    },
  );

  test("no module there takes time, chance or settings from its surroundings", async () => {
    const { files } = await importsOf("../src/index.ts");
    for (const file of files) {
      const code = (await readFile(new URL(file), "utf8")).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
      expect(
        code.match(/Math\.random|Date\.now|new Date|performance\.now|\bprocess\b|\bBuffer\b/)?.[0],
        file,
      ).toBeUndefined();
    }
  });

  test("the worker entry is the one that needs Node", async () => {
    expect(nodeOnly((await importsOf("../src/worker/index.ts")).packages)).toEqual(["node:worker_threads"]);
  });
});
