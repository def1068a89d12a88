import { PraxisError } from "@praxis/env";
import { ACTIVATIONS } from "@praxis/nn";
import { z } from "zod";
import type { EncoderSettings } from "./block-encoder.ts";
import { observationBlock } from "./observation-blocks.ts";

const positive = z.int().min(1);

/** Settings of a policy's network, whatever trains it. */
export const networkSettings = z.strictObject({
  policy: z.enum(["mlp", "lstm"]).default("mlp"),
  hiddenSizes: z.array(positive).default([64, 64]).describe("widths of the layers"),
  lstmHidden: positive.default(256),
  lstmLayers: positive.default(1),
  activation: z.enum(ACTIVATIONS).default("tanh"),
  observationBlocks: z
    .array(observationBlock)
    .min(1)
    .nullable()
    .default(null)
    .describe("what the observation's numbers stand for: flat, set and graph blocks in order"),
  encoderWidth: positive.default(64).describe("features of an item of a set or graph"),
  encoderLayers: positive.default(1),
  encoderHeads: positive.default(4).describe("attention heads, which divide encoderWidth"),
  graphEncoder: z
    .enum(["convolution", "attention"])
    .default("convolution")
    .describe("how a node looks at its neighbours"),
  itemMemory: positive.nullable().default(null).describe("width of a recurrent memory of each item"),
});

export type NetworkSettings = z.output<typeof networkSettings>;

/** What a branch is built from. Throws INVALID_CONFIG naming what does not fit together. */
export function networkOptions(settings: NetworkSettings) {
  const { policy, hiddenSizes, lstmHidden, lstmLayers, activation, observationBlocks: blocks } = settings;
  const { encoderWidth, encoderHeads, encoderLayers, graphEncoder, itemMemory } = settings;
  if (blocks === null && itemMemory !== null)
    throw new PraxisError("INVALID_CONFIG", "itemMemory is of the items of observationBlocks; name those too.");
  if (encoderWidth % encoderHeads !== 0)
    throw new PraxisError(
      "INVALID_CONFIG",
      `encoderHeads is ${encoderHeads}; it must divide encoderWidth, ${encoderWidth}.`,
    );
  const encoder: EncoderSettings | null =
    blocks === null
      ? null
      : {
          ...{ blocks, width: encoderWidth, layers: encoderLayers, heads: encoderHeads },
          ...{ graph: graphEncoder, itemMemory },
        };
  const lstm = policy === "lstm" ? { hidden: lstmHidden, layers: lstmLayers } : null;
  return { lstm, hidden: hiddenSizes, activation, encoder };
}

/** Whether such a policy remembers anything from step to step. */
export function isRecurrent({ policy, itemMemory }: NetworkSettings): boolean {
  return policy === "lstm" || itemMemory !== null;
}
