import { describe, expect, test } from "vitest";
import { EnvRegistry } from "../src/registry.ts";
import { counterEnv, gridEnv } from "../src/testing/index.ts";

const named = (id: string, name: string) => ({ ...counterEnv, id, name });

describe("EnvRegistry", () => {
  test("an environment is found by id and by short name, whatever the case", () => {
    const registry = new EnvRegistry([gridEnv, counterEnv]);
    for (const name of ["Grid-v0", "grid", "GRID", "grid-V0"]) expect(registry.get(name)).toBe(gridEnv);
    expect(registry.list()).toEqual([gridEnv, counterEnv]);
  });

  test("a short name means the newest version, an id exactly its own", () => {
    const [v2, v10] = [named("Counter-v2", "counter"), named("Counter-v10", "counter")];
    const registry = new EnvRegistry([v10, counterEnv, v2]);
    expect(registry.get("counter")).toBe(v10);
    expect(registry.get("Counter-v2")).toBe(v2);
  });

  test("an unknown name is refused with the nearest and with all that there are", () => {
    const registry = new EnvRegistry([gridEnv, counterEnv]);
    expect(() => registry.get("Gird-v0")).toThrow(
      "Unknown environment 'Gird-v0'. Did you mean 'Grid-v0'? Registered: Grid-v0, Counter-v0.",
    );
    expect(() => registry.get("gridd")).toThrow("Did you mean 'grid'?");
    expect(() => new EnvRegistry().get("toString")).toThrow(
      expect.objectContaining({
        code: "UNKNOWN_ENVIRONMENT",
        message: "Unknown environment 'toString'. Registered: none.",
      }),
    );
  });

  test.each([
    ["counter-v0", "other"],
    ["Other-v0", "counter"],
    ["Other-v0", "grid-v0"],
  ])("id %s with name %s collides", (id, name) => {
    const registry = new EnvRegistry([gridEnv, counterEnv]);
    expect(() => registry.register(named(id, name))).toThrow("collides with");
    expect(registry.list()).toHaveLength(2);
  });

  test.each([
    ["Counter", "counter", "must look like 'Name-v0'"],
    ["Counter-v0", "Counter", "must be lower case"],
    ["../Counter-v0", "counter", "must look like 'Name-v0'"],
  ])("id %s with name %s is refused", (id, name, message) => {
    expect(() => new EnvRegistry([named(id, name)])).toThrow(message);
  });
});
