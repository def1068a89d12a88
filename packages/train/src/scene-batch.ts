import type { Scene, SceneShape } from "@praxis/env";
import type { Tape, Tensor } from "@praxis/nn";

/**
 * A scene with its rows in an order that depends on their contents alone. Sums of floats depend on their order; sorted first,
 * a permutation of items or candidates permutes the scores exactly.
 */
export interface SortedScene {
  readonly scene: Scene;
  /** Row of the scene at each sorted place. */
  readonly itemOrder: readonly number[];
  readonly candidateOrder: readonly number[];
}

/** Sorts the rows of a scene. */
export function sortScene(scene: Scene, shape: SceneShape): SortedScene {
  const items = orderRows(scene.items, scene.itemCount, shape.items, (a, b) => compareEdges(scene, shape, a, b));
  const placeOf = new Int16Array(scene.itemCount);
  items.forEach((row, place) => {
    placeOf[row] = place;
  });
  const about = (candidate: number): number => {
    const item = scene.itemOf[candidate]!;
    return item < 0 ? -1 : placeOf[item]!;
  };
  const candidates = orderRows(scene.candidates, scene.candidateCount, shape.candidates, (a, b) => about(a) - about(b));
  return { scene, itemOrder: items, candidateOrder: candidates };
}

function orderRows(
  rows: Float32Array,
  count: number,
  width: number,
  tie: (a: number, b: number) => number,
): readonly number[] {
  return Array.from({ length: count }, (_, row) => row).sort((a, b) => {
    for (let i = 0; i < width; i++) {
      const difference = rows[a * width + i]! - rows[b * width + i]!;
      if (difference !== 0) return difference;
    }
    return tie(a, b);
  });
}

/** Equal items apart by how many edges of each kind they have. */
function compareEdges({ edges, itemCount: n }: Scene, { relations }: SceneShape, a: number, b: number): number {
  for (let kind = 0; kind < relations; kind++) {
    let difference = 0;
    for (let j = 0; j < n; j++) difference += edges[(kind * n + a) * n + j]! - edges[(kind * n + b) * n + j]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Scenes side by side, padded to the largest. */
export interface SceneBatch {
  readonly rows: number;
  /** Items and candidates of the largest scene; at least 1. */
  readonly items: number;
  readonly candidates: number;
  /** [rows, context] */
  readonly context: Tensor;
  /** [rows, items, …], and [rows, items] with 0 at padding. */
  readonly itemRows: Tensor;
  readonly itemMask: Float32Array;
  /** [rows, relations, items, items] */
  readonly adjacency: Float32Array;
  /** [rows, candidates, …], and [rows, candidates] with 0 at padding. */
  readonly candidateRows: Tensor;
  readonly candidateMask: Float32Array;
  /** [rows · candidates]: place among the rows of all items that a candidate is about, -1 none. */
  readonly itemOf: Int32Array;
  /** [rows, candidates]: 1 where a candidate abstains. */
  readonly abstains: Float32Array;
}

/** Packs scenes. */
export function packScenes(tape: Tape, scenes: readonly SortedScene[], shape: SceneShape): SceneBatch {
  const rows = scenes.length;
  let items = 1;
  let candidates = 1;
  for (const { scene } of scenes) {
    items = Math.max(items, scene.itemCount);
    candidates = Math.max(candidates, scene.candidateCount);
  }
  const context = tape.zeros(rows * shape.context);
  const itemRows = tape.zeros(rows * items * shape.items);
  const itemMask = new Float32Array(rows * items);
  const adjacency = new Float32Array(rows * shape.relations * items * items);
  const candidateRows = tape.zeros(rows * candidates * shape.candidates);
  const candidateMask = new Float32Array(rows * candidates);
  const itemOf = new Int32Array(rows * candidates).fill(-1);
  const abstains = new Float32Array(rows * candidates);
  scenes.forEach(({ scene, itemOrder, candidateOrder }, row) => {
    context.set(scene.context, row * shape.context);
    const placeOf = new Int16Array(scene.itemCount);
    itemOrder.forEach((from, place) => {
      placeOf[from] = place;
      itemMask[row * items + place] = 1;
      itemRows.set(
        scene.items.subarray(from * shape.items, (from + 1) * shape.items),
        (row * items + place) * shape.items,
      );
    });
    const n = scene.itemCount;
    for (let kind = 0; kind < shape.relations; kind++)
      for (let a = 0; a < n; a++)
        for (let b = 0; b < n; b++)
          if (scene.edges[(kind * n + a) * n + b] !== 0)
            adjacency[((row * shape.relations + kind) * items + placeOf[a]!) * items + placeOf[b]!] = 1;
    candidateOrder.forEach((from, place) => {
      const at = row * candidates + place;
      candidateMask[at] = 1;
      candidateRows.set(
        scene.candidates.subarray(from * shape.candidates, (from + 1) * shape.candidates),
        at * shape.candidates,
      );
      const item = scene.itemOf[from]!;
      if (item >= 0) itemOf[at] = row * items + placeOf[item]!;
      abstains[at] = scene.abstains[from]!;
    });
  });
  return {
    ...{ rows, items, candidates, itemMask, adjacency, candidateMask, itemOf, abstains },
    context: tape.wrap([rows, shape.context], context, []),
    itemRows: tape.wrap([rows, items, shape.items], itemRows, []),
    candidateRows: tape.wrap([rows, candidates, shape.candidates], candidateRows, []),
  };
}
