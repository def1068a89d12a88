import type { EnvDefinition } from "./env.ts";
import { PraxisError } from "./errors.ts";
import { didYouMean } from "./names.ts";

/** `PolyGuard-v2` as base `polyguard` and version 2. */
function splitId({ id }: EnvDefinition): { readonly base: string; readonly version: number } {
  const at = id.lastIndexOf("-v");
  return { base: id.slice(0, at).toLowerCase(), version: Number(id.slice(at + 2)) };
}

/** True if a lookup by id or short name could not tell two definitions apart. */
function collide(a: EnvDefinition, b: EnvDefinition): boolean {
  const idA = a.id.toLowerCase();
  const idB = b.id.toLowerCase();
  if (idA === idB || idA === b.name || idB === a.name) return true;
  return a.name === b.name && splitId(a).base !== splitId(b).base;
}

/** Environments by id and short name. A plain value that is handed to servers, trainers and evaluation. */
export class EnvRegistry {
  readonly #definitions = new Map<string, EnvDefinition>();

  constructor(definitions: readonly EnvDefinition[] = []) {
    for (const definition of definitions) this.register(definition);
  }

  /**
   * Adds a definition. Throws INVALID_CONFIG for an id not of the form `Name-v0`, a taken id, or a short name taken by another
   * environment; versions of one environment share theirs. Case is ignored.
   */
  register(definition: EnvDefinition): void {
    if (!/^[A-Za-z][A-Za-z0-9-]*-v\d+$/.test(definition.id))
      throw new PraxisError("INVALID_CONFIG", `Environment id '${definition.id}' must look like 'Name-v0'.`);
    if (!/^[a-z][a-z0-9_-]*$/.test(definition.name))
      throw new PraxisError(
        "INVALID_CONFIG",
        `Environment name '${definition.name}' must be lower case letters, digits, '-' or '_'.`,
      );
    for (const known of this.#definitions.values())
      if (collide(known, definition))
        throw new PraxisError(
          "INVALID_CONFIG",
          `Environment '${definition.id}' (${definition.name}) collides with '${known.id}' (${known.name}).`,
        );
    this.#definitions.set(definition.id, definition);
  }

  /** Definition by id or short name (the newest version), case ignored. Throws UNKNOWN_ENVIRONMENT with the nearest name. */
  get(name: string): EnvDefinition {
    const wanted = name.toLowerCase();
    let newest: EnvDefinition | null = null;
    for (const definition of this.#definitions.values()) {
      if (definition.id.toLowerCase() === wanted) return definition;
      if (definition.name === wanted && (newest === null || splitId(definition).version > splitId(newest).version))
        newest = definition;
    }
    if (newest !== null) return newest;
    const names = this.list().flatMap((definition) => [definition.name, definition.id]);
    throw new PraxisError(
      "UNKNOWN_ENVIRONMENT",
      `Unknown environment '${name}'.${didYouMean(name, names)} Registered: ${
        this.list()
          .map((known) => known.id)
          .join(", ") || "none"
      }.`,
    );
  }

  /** All definitions in the order they were registered. */
  list(): readonly EnvDefinition[] {
    return [...this.#definitions.values()];
  }
}
