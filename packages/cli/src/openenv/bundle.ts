import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { PraxisError } from "@praxis/env";
import { type Plugin, rolldown } from "rolldown";

/** What goes into a bundle and where it is written. */
export interface BundleRequest {
  /** Text of the entry module. */
  readonly entry: string;
  /** Folder from which the entry's imports are looked up. */
  readonly resolveFrom: string;
  /** The `.mjs` file to write; data files that modules read go to `assets/` beside it. */
  readonly outFile: string;
}

// A module's own data files: `new URL("../data/x.tsv", import.meta.url)`, also with a template whose folder is fixed.
const OWN_FILE = /new URL\(\s*(["'`])(\.\.?\/[^"'`]*)\1\s*,\s*import\.meta\.url\s*,?\s*\)/g;
const ENTRY_ID = "\0praxis-entry";
const isSource = import.meta.url.endsWith(".ts");

/** Nearest folder above `file` that holds a package.json, and the package's name. */
function packageOf(file: string): { readonly folder: string; readonly name: string } {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const { name } = JSON.parse(readFileSync(manifest, "utf8")) as { name?: string };
    if (name !== undefined) return { folder, name };
  }
  return { folder: dirname(file), name: basename(dirname(file)) };
}

/**
 * Copies the data files that modules name relative to themselves into `assets/<package>/` and points the modules there, since
 * a bundled module no longer stands where its files are.
 */
function copyOwnFiles(outFolder: string): Plugin {
  return {
    name: "praxis-own-files",
    transform(code, id) {
      if (!code.includes("import.meta.url")) return null;
      const file = id.split("?")[0]!;
      const rewritten = code.replace(OWN_FILE, (whole: string, quote: string, path: string) => {
        const variable = path.indexOf("${");
        // With a variable part the whole folder before it is copied.
        const fixed = variable === -1 ? path : path.slice(0, path.lastIndexOf("/", variable) + 1);
        const source = resolve(dirname(file), fixed);
        if (!existsSync(source)) return whole;
        const owner = packageOf(file).name.replace("@", "").replaceAll("/", "-");
        const isFolder = statSync(source).isDirectory();
        const target = `assets/${owner}/${basename(source)}`;
        mkdirSync(dirname(join(outFolder, target)), { recursive: true });
        cpSync(source, join(outFolder, target), { recursive: true, dereference: true });
        const rest = path.slice(fixed.length);
        return `new URL(${quote}./${target}${isFolder ? "/" : ""}${rest}${quote}, import.meta.url)`;
      });
      return rewritten === code ? null : { code: rewritten };
    },
  };
}

/** Serves the entry text as a module that stands in `resolveFrom`. */
function entryModule(entry: string, resolveFrom: string): Plugin {
  return {
    name: "praxis-entry",
    async resolveId(source, importer) {
      if (source === ENTRY_ID) return ENTRY_ID;
      if (importer !== ENTRY_ID) return null;
      return await this.resolve(source, join(resolveFrom, "entry.js"), { skipSelf: true });
    },
    load: (id) => (id === ENTRY_ID ? { code: entry, moduleType: "js" } : null),
  };
}

/**
 * Writes one `.mjs` file that runs on a bare Node 20, with everything it imports inside and data files copied beside it.
 * Throws INVALID_CONFIG when a module cannot be found or read.
 */
export async function bundleServer({ entry, resolveFrom, outFile }: BundleRequest): Promise<void> {
  const outFolder = dirname(outFile);
  mkdirSync(outFolder, { recursive: true });
  try {
    const bundle = await rolldown({
      input: ENTRY_ID,
      platform: "node",
      // From a checkout's sources the other packages' sources are bundled too; installed, their built files.
      resolve: { conditionNames: isSource ? ["praxis-source", "import", "node"] : ["import", "node"] },
      plugins: [entryModule(entry, resolveFrom), copyOwnFiles(outFolder)],
      onLog: (level, log, report) => {
        if (level === "warn" && log.code === "UNRESOLVED_IMPORT") report("error", log);
      },
    });
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false, minify: false });
    await bundle.close();
    writeFileSync(outFile, output[0].code);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PraxisError("INVALID_CONFIG", `The server could not be bundled into ${basename(outFile)}: ${reason}`, {
      cause,
    });
  }
}

/** The folder of this package, from `src` and `dist` alike. */
export const cliFolder = fileURLToPath(new URL("../..", import.meta.url));
