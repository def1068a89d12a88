import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { FlowError } from "../errors.ts";

/**
 * Imports an installed package as seen from the folders of files, then from the working folder, then from here. A package that
 * a user installs beside a flow file is found that way, although this package does not know it.
 *
 * @throws FlowError E401 when it is nowhere installed
 */
export async function importPackage(
  name: string,
  ...files: readonly string[]
): Promise<Readonly<Record<string, unknown>>> {
  for (const start of [...files.map((file) => dirname(resolve(file))), process.cwd()]) {
    const entry = findEntry(name, start);
    if (entry !== undefined) return (await import(pathToFileURL(entry).href)) as Readonly<Record<string, unknown>>;
  }
  try {
    return (await import(name)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" && !message.includes("resolve")) throw error;
    throw new FlowError(
      "E401",
      "invalid_request",
      `The package '${name}' is not installed; run 'npm install ${name}' beside '${files[0] ?? "the flow file"}'.`,
    );
  }
}

function findEntry(name: string, start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const root = join(folder, "node_modules", ...name.split("/"));
    const manifest = join(root, "package.json");
    if (existsSync(manifest)) {
      const { exports, module, main } = JSON.parse(readFileSync(manifest, "utf8")) as {
        readonly exports?: unknown;
        readonly module?: string;
        readonly main?: string;
      };
      return join(root, entryOf(exports) ?? module ?? main ?? "index.js");
    }
    if (dirname(folder) === folder) return undefined;
  }
}

const CONDITIONS = ["node", "import", "module", "default"];

function entryOf(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (typeof exports !== "object" || exports === null) return undefined;
  const map = exports as Readonly<Record<string, unknown>>;
  if ("." in map) return entryOf(map["."]);
  for (const condition of CONDITIONS) {
    const found = entryOf(map[condition]);
    if (found !== undefined) return found;
  }
  return undefined;
}
