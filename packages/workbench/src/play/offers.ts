import { isObject, type JsonSchema, resolveSchema, variantsOf } from "../schema/json-schema.ts";
import { words } from "../ui/text.ts";
import type { WireObject } from "./branch.ts";

/** An action that may be taken, ready to send. */
export interface Offer {
  readonly key: string;
  readonly kind: string;
  readonly text: string;
  readonly action: WireObject;
  /** Null where the environment does not say before. */
  readonly isLegal: boolean | null;
  readonly candidate: WireObject | null;
}

/** What offers are made from. */
export interface OfferSource {
  readonly observation: WireObject;
  readonly info: WireObject;
  readonly actionSchema: WireObject;
  toAction(observation: WireObject, candidate: WireObject): WireObject;
}

/**
 * The actions that an environment offers: its observation's `candidates`, or every value of an action of one field with few
 * values. `actionMask` of the info says which are legal.
 */
export function offersOf({ observation, info, actionSchema, toAction }: OfferSource): readonly Offer[] {
  const mask = Array.isArray(info.actionMask) ? info.actionMask : null;
  const { candidates } = observation;
  if (Array.isArray(candidates))
    return candidates.filter(isObject).map((candidate, index) => ({
      key: String(candidate.candidate_id ?? candidate.id ?? index),
      kind: typeof candidate.action_type === "string" ? words(candidate.action_type) : "",
      text: String(candidate.text ?? candidate.label ?? candidate.description ?? JSON.stringify(candidate)),
      action: toAction(observation, candidate),
      isLegal: typeof mask?.[index] === "boolean" ? mask[index] : null,
      candidate,
    }));
  return discreteOffers(actionSchema, mask);
}

/** Most values that are shown as buttons of their own. */
const MOST_VALUES = 16;

function discreteOffers(schema: JsonSchema, mask: readonly unknown[] | null): readonly Offer[] {
  const variants = variantsOf(schema);
  if (variants.length !== 1) return [];
  const { properties = {}, required = [] } = variants[0]!;
  const names = Object.keys(properties).filter((name) => name !== "metadata");
  const [name] = names;
  if (names.length !== 1 || name === undefined || !required.includes(name)) return [];
  const property = resolveSchema(properties[name]!, schema);
  const { minimum, maximum } = property;
  const values = Array.isArray(property.enum)
    ? property.enum
    : property.type === "integer" &&
        typeof minimum === "number" &&
        typeof maximum === "number" &&
        maximum - minimum < MOST_VALUES
      ? Array.from({ length: maximum - minimum + 1 }, (_, index) => minimum + index)
      : [];
  if (values.length > MOST_VALUES) return [];
  return values.map((value, index) => ({
    key: `${name}=${String(value)}`,
    kind: words(name),
    text: `${words(name)} ${String(value)}`,
    action: { [name]: value },
    isLegal: typeof mask?.[index] === "boolean" ? mask[index] : null,
    candidate: null,
  }));
}

/** A candidate's action: what it carries as one, else its own fields and the nonce of the observation. */
export function plainAction(observation: WireObject, candidate: WireObject): WireObject {
  const carried = [candidate.payload, candidate.action].find(isObject) ?? candidate;
  const nonce = observation.step_nonce;
  return typeof nonce === "string" && carried.step_nonce === undefined ? { step_nonce: nonce, ...carried } : carried;
}
