import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type EnvDefinition, PraxisError } from "@praxis/env";

/** A definition and where it is imported from. */
export interface EnvironmentSource {
  readonly definition: EnvDefinition;
  /** Package name or absolute path, as an import takes it. */
  readonly module: string;
  readonly exportName: string;
  /** True when the export is a function that makes the definition. */
  readonly isFactory?: boolean;
}

const isDefinition = (value: unknown): value is EnvDefinition =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as EnvDefinition).id === "string" &&
  typeof (value as EnvDefinition).name === "string" &&
  typeof (value as EnvDefinition).makeEnv === "function";

/** The module that a package's folder exports at its root. */
function mainModule(folder: string): string {
  const manifestPath = join(folder, "package.json");
  if (!existsSync(manifestPath))
    throw new PraxisError("INVALID_CONFIG", `'${folder}' has no package.json. Name a module or a package's folder.`);
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8")) as {
    readonly main?: string;
    readonly exports?: string | { readonly "."?: string | Readonly<Record<string, string>> };
  };
  const root = typeof manifest.exports === "string" ? manifest.exports : manifest.exports?.["."];
  const path = typeof root === "string" ? root : (root?.default ?? root?.import ?? manifest.main ?? "index.js");
  return join(folder, path);
}

/**
 * The environment that a module, or a package's folder, exports as default or as `definition`. Throws INVALID_CONFIG saying
 * what is wrong with the path.
 */
export async function loadEnvironment(path: string): Promise<EnvironmentSource> {
  const given = resolve(path);
  if (!existsSync(given))
    throw new PraxisError(
      "INVALID_CONFIG",
      `No environment module at '${path}'. Name a .js file or a package's folder.`,
    );
  const module = statSync(given).isDirectory() ? mainModule(given) : given;
  if (!existsSync(module))
    throw new PraxisError(
      "INVALID_CONFIG",
      `'${path}' names '${module}', which does not exist. Build the package first.`,
    );
  let exported: { readonly default?: unknown; readonly definition?: unknown };
  try {
    exported = await import(pathToFileURL(module).href);
  } catch (cause) {
    const hint = module.endsWith(".ts") ? " Node can't run TypeScript here: build it and name the .js file." : "";
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PraxisError("INVALID_CONFIG", `The module '${path}' could not be loaded: ${reason}.${hint}`, { cause });
  }
  for (const exportName of ["default", "definition"] as const) {
    const definition = exported[exportName];
    if (isDefinition(definition)) return { definition, module, exportName };
  }
  throw new PraxisError(
    "INVALID_CONFIG",
    `The module '${path}' exports no EnvDefinition as default or as 'definition'; it has ${Object.keys(exported).join(", ") || "no exports"}.`,
  );
}
