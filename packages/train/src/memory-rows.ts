import type { LstmState } from "@praxis/nn";

/** Views of one column of [layers, batch, any], array after array, layer after layer. */
function columnViews(states: readonly LayeredState[], batch: number, column: number): Float32Array[] {
  return states.flatMap(({ layers, state }) =>
    [state.hidden, state.cell].flatMap((array) => {
      const width = array.length / (layers * batch);
      return Array.from({ length: layers }, (_, layer) => {
        const from = (layer * batch + column) * width;
        return array.subarray(from, from + width);
      });
    }),
  );
}

/** A memory and the number of its layers. */
export interface LayeredState {
  readonly layers: number;
  readonly state: LstmState;
}

/** Memories of a batch as one row per column, so that columns of any batches can be put together again. */
export function packMemories(states: readonly LayeredState[], batch: number): Float32Array[] {
  return Array.from({ length: batch }, (_, column) => {
    const views = columnViews(states, batch, column);
    const packed = new Float32Array(views.reduce((sum, view) => sum + view.length, 0));
    let at = 0;
    for (const view of views) {
      packed.set(view, at);
      at += view.length;
    }
    return packed;
  });
}

/** Fills `states` of a batch with what {@link packMemories} gave, a row per column. */
export function unpackMemories(states: readonly LayeredState[], rows: readonly Float32Array[]): void {
  rows.forEach((packed, column) => {
    let at = 0;
    for (const view of columnViews(states, rows.length, column)) {
      view.set(packed.subarray(at, at + view.length));
      at += view.length;
    }
  });
}
