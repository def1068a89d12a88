import { type EnvDefinition, EnvRegistry } from "@praxis/env";
import { appendFeedback } from "./cds-feedback.ts";
import { type EnvironmentSource, loadEnvironment } from "./load-environment.ts";

/** Which environments to load beside the built-in ones. */
export interface LoadOptions {
  /** Paths of modules, or of packages' folders, that export an EnvDefinition as default or as `definition`. */
  readonly extra?: readonly string[];
}

/** The environments that come with Praxis. Imported only here, so that commands that need none start without their tables. */
async function builtIn(): Promise<readonly EnvironmentSource[]> {
  const { loadPolyGuard } = await import("@praxis/polyguard");
  const { loadSpindleFlow } = await import("@praxis/spindleflow");
  const { cartPole, grid, maskedCartPole } = await import("@praxis/train");
  return [
    {
      definition: loadPolyGuard({
        cds: { today: () => new Date().toISOString().slice(0, 10), onFeedback: appendFeedback },
      }),
      module: "@praxis/polyguard",
      exportName: "loadPolyGuard",
      isFactory: true,
    },
    {
      definition: loadSpindleFlow() as unknown as EnvDefinition,
      module: "@praxis/spindleflow",
      exportName: "loadSpindleFlow",
      isFactory: true,
    },
    { definition: cartPole as EnvDefinition, module: "@praxis/train", exportName: "cartPole" },
    { definition: maskedCartPole as EnvDefinition, module: "@praxis/train", exportName: "maskedCartPole" },
    { definition: grid as EnvDefinition, module: "@praxis/train", exportName: "grid" },
  ];
}

/** The built-in environments, then those of `extra` in the order given. Throws INVALID_CONFIG naming the path at fault. */
export async function loadEnvironments({ extra = [] }: LoadOptions = {}): Promise<readonly EnvironmentSource[]> {
  const loaded: EnvironmentSource[] = [...(await builtIn())];
  // Recorded outcomes are the user's own data: their environment is there once a table is named.
  const table = process.env.SPINDLE_ROUTING_DATA;
  if (table !== undefined && table !== "") {
    const { loadRoutingEnvironment } = await import("./routing-table.ts");
    loaded.push({
      definition: await loadRoutingEnvironment(table),
      module: "@praxis/spindleflow",
      exportName: "defineRouting",
    });
  }
  for (const path of extra) loaded.push(await loadEnvironment(path));
  return loaded;
}

/** A registry of {@link loadEnvironments}. Throws INVALID_CONFIG also when two names collide. */
export async function loadRegistry(options: LoadOptions = {}): Promise<EnvRegistry> {
  return new EnvRegistry((await loadEnvironments(options)).map((source) => source.definition));
}
