import { type Info, PraxisError } from "@praxis/env";
import { type ObservationRecord, type ObservationRecorder, RowInterner } from "../observation-record.ts";
import { GRAPH_NODES, SCALARS, type SlotLayout } from "./slot-layout.ts";

/** Where the numbers of a slot record stand; by slot but for the last three. */
export interface SlotRecordLayout {
  readonly exists: number;
  readonly taskCosine: number;
  readonly scratchpadCosine: number;
  readonly called: number;
  /** Largest entry of the graph into the slot. */
  readonly edge: number;
  readonly scalars: number;
  readonly adjacency: number;
  readonly scratchpad: number;
  readonly size: number;
}

export function slotRecordLayout({ slots, embedding }: SlotLayout): SlotRecordLayout {
  const scalars = 5 * slots;
  const adjacency = scalars + SCALARS;
  const scratchpad = adjacency + GRAPH_NODES * GRAPH_NODES;
  return {
    ...{ exists: 0, taskCosine: slots, scratchpadCosine: 2 * slots, called: 3 * slots, edge: 4 * slots },
    ...{ scalars, adjacency, scratchpad, size: scratchpad + embedding },
  };
}

/**
 * Keeps of an observation what does not change with the weights: rows of the embeddings (task, then slots), their cosines
 * (descriptions and tasks have norm 1 or are zeros), the graph and the small numbers. The rows called are mask times roster and are left out.
 *
 * `info.embeddingRows` may number the embeddings, `{ task, slots }` each from 0 and −1 where there is none, so that equal ones are
 * known without comparing them.
 */
export class SlotRecorder implements ObservationRecorder {
  readonly #layout: SlotLayout;
  readonly #at: SlotRecordLayout;
  readonly #sortsGraph: boolean;
  readonly #tasks = new RowInterner();
  readonly #specialists = new RowInterner();

  /** @param sortsGraph whether the graph's slots are put in order of their similarity to the task, for readers that see order */
  constructor(layout: SlotLayout, { sortsGraph }: { readonly sortsGraph: boolean }) {
    this.#layout = layout;
    this.#at = slotRecordLayout(layout);
    this.#sortsGraph = sortsGraph;
  }

  clear(): void {
    this.#tasks.clear();
    this.#specialists.clear();
  }

  record(observation: Float32Array, info: Info): ObservationRecord {
    const { slots, embedding, inputs, taskAt, rosterAt, scratchpadAt, adjacencyAt, calledAt, scalarsAt } = this.#layout;
    if (observation.length !== inputs)
      throw new PraxisError("VALIDATION_ERROR", `The observation has ${observation.length} numbers, not ${inputs}.`);
    const at = this.#at;
    const numbers = new Float32Array(at.size);
    const part = (from: number): Float32Array => observation.subarray(from, from + embedding);
    const ids = numbersOf(info, slots);
    const task = part(taskAt);
    const scratchpad = part(scratchpadAt);
    const scratchpadScale = 1 / (Math.sqrt(dot(scratchpad, scratchpad)) || 1);
    const rows = [this.#tasks.intern(task, ids?.task ?? null)];
    for (let i = 0; i < slots; i++) {
      const vector = part(rosterAt + i * embedding);
      const row = this.#specialists.intern(vector, ids?.slots[i] ?? null);
      rows.push(row);
      if (row === null) continue;
      numbers[at.exists + i] = 1;
      numbers[at.taskCosine + i] = dot(task, vector);
      numbers[at.scratchpadCosine + i] = dot(scratchpad, vector) * scratchpadScale;
      numbers[at.called + i] = observation[calledAt + i]!;
      for (let caller = 0; caller < GRAPH_NODES; caller++) {
        const entry = observation[adjacencyAt + caller * GRAPH_NODES + 1 + i]!;
        if (entry > numbers[at.edge + i]!) numbers[at.edge + i] = entry;
      }
    }
    numbers.set(observation.subarray(scalarsAt, scalarsAt + SCALARS), at.scalars);
    const graph = observation.subarray(adjacencyAt, adjacencyAt + GRAPH_NODES * GRAPH_NODES);
    if (this.#sortsGraph) sortGraph(graph, slots, numbers, at);
    else numbers.set(graph, at.adjacency);
    numbers.set(scratchpad, at.scratchpad);
    return { numbers, rows };
  }
}

function numbersOf(info: Info, slots: number): { task: number | null; slots: readonly (number | null)[] } | null {
  const given = info.embeddingRows as { readonly task?: unknown; readonly slots?: readonly unknown[] } | undefined;
  if (given === undefined) return null;
  if (!Array.isArray(given.slots) || given.slots.length !== slots)
    throw new PraxisError("VALIDATION_ERROR", `info.embeddingRows must number the task and ${slots} slots.`);
  const known = (id: unknown): number | null => (typeof id === "number" && id >= 0 ? id : null);
  return { task: known(given.task), slots: given.slots.map(known) };
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
}

/** The graph with its slot rows and columns by falling similarity to the task: moving slots about changes nothing. */
function sortGraph(graph: Float32Array, slots: number, numbers: Float32Array, at: SlotRecordLayout): void {
  const similarity = (i: number): number =>
    numbers[at.exists + i] === 0 ? Number.NEGATIVE_INFINITY : numbers[at.taskCosine + i]!;
  const order = Array.from({ length: slots }, (_, i) => i).sort((a, b) => similarity(b) - similarity(a) || a - b);
  const nodes = Array.from({ length: GRAPH_NODES }, (_, node) =>
    node >= 1 && node <= slots ? 1 + order[node - 1]! : node,
  );
  for (let row = 0; row < GRAPH_NODES; row++)
    for (let column = 0; column < GRAPH_NODES; column++)
      numbers[at.adjacency + row * GRAPH_NODES + column] = graph[nodes[row]! * GRAPH_NODES + nodes[column]!]!;
}
