import { PraxisError } from "@praxis/env";
import type { Module, NamedArray, Parameter } from "@praxis/nn";

/** The same tensors under longer names. */
export function prefixed(prefix: string, tensors: ReadonlyMap<string, NamedArray>): [string, NamedArray][] {
  return [...tensors].map(([name, tensor]) => [`${prefix}${name}`, tensor]);
}

/** Tensors whose names begin with `prefix`, without it. */
export function unprefixed(prefix: string, tensors: ReadonlyMap<string, NamedArray>): Map<string, NamedArray> {
  return new Map(
    [...tensors].flatMap(([name, tensor]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), tensor]] : [])),
  );
}

/** Copies of a module's weights by name. */
export function tensorsOf(module: Module): Map<string, NamedArray> {
  return new Map(module.parameters().map(({ name, shape, data }) => [name, { shape, data: data.slice() }]));
}

/** Sets parameters by name; throws VALIDATION_ERROR, changing nothing, when one is missing or of another size. */
export function restoreParameters(parameters: readonly Parameter[], tensors: ReadonlyMap<string, NamedArray>): void {
  for (const { name, shape } of parameters) {
    const found = tensors.get(name)?.shape;
    if (found?.join() !== shape.join())
      throw new PraxisError(
        "VALIDATION_ERROR",
        `The checkpoint's '${name}' has shape [${found?.join(", ") ?? "none"}], the policy's [${shape.join(", ")}]. Use the settings it was trained with.`,
      );
  }
  for (const { name, data } of parameters) data.set(tensors.get(name)!.data);
}
