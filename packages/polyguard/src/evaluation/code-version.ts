import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Hash of this package's own code as it is loaded: what is worked out by other code must not be taken for its own. Node only. */
export function codeVersion(): string {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(js|ts)$/.test(path) && !path.endsWith(".d.ts"))
    .sort();
  const hash = createHash("sha256");
  for (const path of files)
    hash
      .update(path)
      .update("\0")
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}
