import { PraxisError } from "@praxis/env";
import { z } from "zod";

const count = z.int().min(1);
const name = z.string().regex(/^[A-Za-z][A-Za-z0-9]*$/, "begin with a letter, then letters and digits");

/**
 * What the numbers of an observation stand for, block after block. `flat`: `size` numbers. `set`: a mask of `items` (0: padding),
 * then [items, features]. `graph`: the same for `nodes`, then adjacency [relations, nodes, nodes], the weight of the edge to
 * row's node from column's node.
 */
export const observationBlock = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("flat"), name, size: count }),
  z.strictObject({ kind: z.literal("set"), name, items: count, features: count }),
  z.strictObject({ kind: z.literal("graph"), name, nodes: count, features: count, relations: count }),
]);

/** One block of {@link observationBlock}. */
export type ObservationBlock = z.output<typeof observationBlock>;
/** A block of items that an encoder reads. */
export type ItemBlock = Exclude<ObservationBlock, { readonly kind: "flat" }>;

/** Items of a block, padding included. */
export function itemCount(block: ItemBlock): number {
  return block.kind === "set" ? block.items : block.nodes;
}

/** Numbers of a block in an observation. */
export function blockSize(block: ObservationBlock): number {
  if (block.kind === "flat") return block.size;
  const items = itemCount(block);
  return items * (1 + block.features) + (block.kind === "graph" ? block.relations * items * items : 0);
}

/** Throws INVALID_CONFIG when names repeat or the blocks do not fill an observation of `inputs` numbers. */
export function checkBlocks(blocks: readonly ObservationBlock[], inputs: number): void {
  const repeated = blocks.find((block, i) => blocks.findIndex((other) => other.name === block.name) !== i);
  if (repeated !== undefined)
    throw new PraxisError("INVALID_CONFIG", `Two observation blocks are named '${repeated.name}'.`);
  const total = blocks.reduce((sum, block) => sum + blockSize(block), 0);
  if (total !== inputs)
    throw new PraxisError(
      "INVALID_CONFIG",
      `The observation blocks hold ${total} numbers (${blocks
        .map((block) => `${block.name} ${blockSize(block)}`)
        .join(", ")}), the observation has ${inputs}.`,
    );
}
