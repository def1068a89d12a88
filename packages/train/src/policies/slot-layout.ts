import { PraxisError } from "@praxis/env";

/** Numbers of an embedding. */
const EMBEDDING = 384;
/** Nodes of the delegation graph, whatever the number of slots. */
export const GRAPH_NODES = 10;
/** Scalars at an observation's end, and the places of those that networks read by name. */
export const SCALARS = 8;
export const SCALAR_AT = { stepInTask: 0, quality: 7 } as const;

/**
 * Where the parts of an orchestrator's observation stand: the task's embedding, the roster's by slot, those called (again by
 * slot), the scratchpad's, the delegation graph [caller, callee], who was called by slot, scalars.
 */
export interface SlotLayout {
  readonly slots: number;
  readonly embedding: number;
  readonly taskAt: number;
  readonly rosterAt: number;
  readonly scratchpadAt: number;
  readonly adjacencyAt: number;
  readonly calledAt: number;
  readonly scalarsAt: number;
  /** Numbers in an observation. */
  readonly inputs: number;
  /** Roles of each node, several where they are held together: orchestrator, slot, mediator, generalist, requester. */
  readonly roles: readonly (readonly boolean[])[];
}

/** Roles of a graph node. */
export const NODE_ROLES = 5;

/** The layout for 1 to 8 slots. Throws INVALID_CONFIG for others. */
export function makeSlotLayout(slots: number, embedding = EMBEDDING): SlotLayout {
  if (!(Number.isInteger(slots) && slots >= 1 && slots <= 8))
    throw new PraxisError("INVALID_CONFIG", `A roster has 1 to 8 slots, not ${slots}.`);
  const rosterAt = embedding;
  const scratchpadAt = rosterAt + 2 * slots * embedding;
  const adjacencyAt = scratchpadAt + embedding;
  const calledAt = adjacencyAt + GRAPH_NODES * GRAPH_NODES;
  const scalarsAt = calledAt + slots;
  // With seven slots node 9 is generalist and requester together, with eight all three.
  const holders = { 2: slots <= 6 ? 7 : slots === 7 ? 8 : 9, 3: slots <= 6 ? 8 : 9, 4: 9 } as const;
  const roles = Array.from({ length: GRAPH_NODES }, (_, node) => [
    node === 0,
    node >= 1 && node <= slots,
    ...Object.values(holders).map((holder) => holder === node),
  ]);
  return {
    ...{ slots, embedding, taskAt: 0, rosterAt, scratchpadAt, adjacencyAt, calledAt, scalarsAt, roles },
    inputs: scalarsAt + SCALARS,
  };
}

/** The number of slots of an observation of `inputs` numbers. Throws INVALID_CONFIG when there is none. */
export function slotsOf(inputs: number, embedding = EMBEDDING): number {
  const slots = (inputs - 2 * embedding - GRAPH_NODES * GRAPH_NODES - SCALARS) / (2 * embedding + 1);
  if (Number.isInteger(slots) && slots >= 1 && slots <= 8) return slots;
  throw new PraxisError(
    "INVALID_CONFIG",
    `An observation of ${inputs} numbers is none of a roster: ${embedding} numbers a text and 1 to 8 slots make 876 + 769 · slots for 384.`,
  );
}
