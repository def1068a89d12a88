import { readFileSync } from "node:fs";
import { PraxisError } from "@praxis/env";
import { z } from "zod";
import { FEATURES_VERSION } from "../../features/layout.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import type { FeatureRow } from "../mining/combination-features.ts";
import type { PolyGuardPolicy } from "../own-play.ts";
import { ARM_ROW_LENGTH, ARM_ROWS_VERSION } from "./arm-rows.ts";
import { makeArmPolicy } from "./policy.ts";

/** Trained weights as they ship. */
const weightsSchema = z.strictObject({
  version: z.literal(ARM_ROWS_VERSION),
  features: z.literal(FEATURES_VERSION),
  algorithm: z.string(),
  episodes: z.int(),
  sub_environments: z.array(z.string()),
  weights: z.array(z.number()).length(ARM_ROW_LENGTH),
});

/** Reads trained weights. Throws INVALID_CONFIG for another version or form, naming the field. */
export function parseArmWeights(text: string): Float64Array {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new PraxisError("INVALID_CONFIG", "The weights of the contextual bandit are not JSON.", { cause });
  }
  const parsed = weightsSchema.safeParse(value);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw new PraxisError(
      "INVALID_CONFIG",
      `The weights of the contextual bandit do not fit this version: ${path.join(".")}: ${message}. Train them again.`,
    );
  }
  return Float64Array.from(parsed.data.weights);
}

let bundled: Float64Array | undefined;

/** Expected gain of an arm over KEEP by the weights that ship with the package. Node only. */
export function loadExpectedGain(): (arm: FeatureRow) => number {
  // `../../../data` is right from src/policies/contextual-bandit and from dist alike.
  bundled ??= parseArmWeights(readFileSync(new URL("../../../data/contextual-bandit.json", import.meta.url), "utf8"));
  const weights = bundled;
  return ({ indexes, values }) => {
    let sum = 0;
    for (let i = 0; i < indexes.length; i++) sum += weights[indexes[i]!]! * values[i]!;
    return sum;
  };
}

/** The bandit with the weights that ship with the package: the best legal candidate by expected gain. Node only. */
export function makeContextualBanditPolicy(kb: KnowledgeBase): PolyGuardPolicy {
  const expectedGain = loadExpectedGain();
  return makeArmPolicy("contextual_bandit", kb, (arms) => arms.map(expectedGain));
}
