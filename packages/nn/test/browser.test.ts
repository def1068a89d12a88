import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Every module that the root entry reaches, and every package it imports. */
function closure(entry: string): { files: string[]; packages: string[] } {
  const files: string[] = [];
  const packages: string[] = [];
  const visit = (file: string) => {
    if (files.includes(file)) return;
    files.push(file);
    for (const [, specifier] of readFileSync(file, "utf8").matchAll(/from "([^"]+)"/g)) {
      if (specifier!.startsWith(".")) visit(resolve(dirname(file), specifier!));
      else packages.push(specifier!);
    }
  };
  visit(entry);
  return { files, packages };
}

test("the root entry needs no Node built-in and no package, so that a browser can load it", () => {
  const { files, packages } = closure(join(root, "src/index.ts"));
  expect(files.length).toBeGreaterThan(25);
  expect(packages).toEqual([]);
  for (const file of files)
    expect(readFileSync(file, "utf8"), file).not.toMatch(/\b(process|Buffer|require|__dirname)\b[.(]/);
});

test("the package has no dependency and runs nothing when it is installed", () => {
  const { dependencies, scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(dependencies).toBeUndefined();
  expect(scripts).toBeUndefined();
});

test("WASM exports every kernel of the table that native code is chosen from", () => {
  const table = readFileSync(join(root, "native/table.h"), "utf8");
  const kernels = [...table.matchAll(/\(\*(\w+)\)\(/g)].map(([, name]) => name!);
  const module = new WebAssembly.Module(readFileSync(join(root, "kernels.wasm")));
  const exported = WebAssembly.Module.exports(module).map(({ name }) => name);
  expect(kernels.length).toBeGreaterThan(20);
  expect(exported.filter((name) => name !== "__heap_base").sort()).toEqual([...kernels].sort());
});

test("kernels.wasm was built from the sources as they are", () => {
  const module = new WebAssembly.Module(readFileSync(join(root, "kernels.wasm")));
  const [section] = WebAssembly.Module.customSections(module, "sources");
  const hash = createHash("sha256");
  for (const name of ["gemm.c", "kernels.c", "pointwise.c", "product.c", "rows.c", "vector.h"]) {
    hash.update(readFileSync(join(root, "native", name)));
  }
  // After a change: node packages/nn/scripts/build-wasm.mjs
  expect(new TextDecoder().decode(section)).toBe(hash.digest("hex"));
});
