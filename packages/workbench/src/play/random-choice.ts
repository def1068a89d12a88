import { exampleOf, isObject, type JsonSchema, resolveSchema, variantsOf } from "../schema/json-schema.ts";
import type { WireObject } from "./branch.ts";
import { offersOf } from "./offers.ts";
import type { Question } from "./policy-player.ts";

/** A number in [0, 1). */
function draw(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32;
}

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)]!;

/** A seed for an episode of which nobody said one. */
export function drawSeed(): number {
  return Math.floor(draw() * 1_000_000);
}

/** One of the offered legal actions, else an action drawn from the schema. */
export function pickRandomly(question: Question): WireObject {
  const offers = offersOf(question).filter((offer) => offer.isLegal !== false);
  if (offers.length > 0) return oneOf(offers).action;
  const variant = oneOf(variantsOf(question.actionSchema));
  const drawn = drawValue(variant, question.actionSchema);
  return isObject(drawn) ? drawn : {};
}

function drawValue(given: JsonSchema, root: JsonSchema): unknown {
  const schema = resolveSchema(given, root);
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return oneOf(schema.enum);
  if (schema.type === "boolean") return draw() < 0.5;
  if (schema.type === "integer" || schema.type === "number") {
    const low = typeof schema.minimum === "number" ? schema.minimum : 0;
    const high = typeof schema.maximum === "number" ? Math.min(schema.maximum, 1e6) : low + 1;
    const value = low + draw() * (high - low + (schema.type === "integer" ? 1 : 0));
    return schema.type === "integer" ? Math.min(Math.floor(value), high) : value;
  }
  if (schema.type === "object" && isObject(schema.properties)) {
    const required = Array.isArray(schema.required) ? schema.required : [];
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(([name]) => required.includes(name))
        .map(([name, property]) => [name, drawValue(property as JsonSchema, root)]),
    );
  }
  return exampleOf(schema, root);
}
