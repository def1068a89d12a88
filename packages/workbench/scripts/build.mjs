// Builds the page into dist/web when anything it is made of has changed since the last build.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "..");
const root = join(folder, "..", "..");
const stamp = join(folder, "dist", "web", ".inputs");

/** Files below a path, in a fixed order. */
function filesOf(path) {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** Hash of the page's sources, of the client it bundles, and of what is installed. */
function hashInputs() {
  const files = [
    ...filesOf(join(folder, "src")),
    ...filesOf(join(root, "packages", "env", "src")),
    ...["index.html", "vite.config.ts", "package.json", "scripts/build.mjs"].map((name) => join(folder, name)),
    join(root, "package-lock.json"),
  ];
  const hash = createHash("sha256");
  for (const file of files) hash.update(relative(root, file)).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

const inputs = hashInputs();
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== inputs) {
  const { build } = await import("vite");
  await build({ root: folder, configFile: join(folder, "vite.config.ts"), logLevel: "error" });
  writeFileSync(stamp, inputs);
}
