/**
 * The delegation graph of one task: node 0 is the orchestrator, 1 … S the slots, S + 1 the generalist; `edges[n]` holds the
 * nodes that n called, as bits. At most ten nodes, so plain recursion is quick.
 */
export type Edges = readonly number[];

/** Node of a slot; the generalist's slot S gives node S + 1. */
export const nodeOfSlot = (slot: number): number => slot + 1;

/** True if `to` can be reached from `from` along calls. */
export function reaches(edges: Edges, from: number, to: number): boolean {
  // Nearly everybody calls nobody.
  if (edges[from] === 0) return false;
  let seen = 1 << from;
  let frontier = seen;
  const goal = 1 << to;
  while (frontier !== 0) {
    let next = 0;
    for (let node = 0; node < edges.length; node++) if ((frontier & (1 << node)) !== 0) next |= edges[node]!;
    if ((next & goal) !== 0) return true;
    frontier = next & ~seen;
    seen |= next;
  }
  return false;
}

/** Longest path from the orchestrator to a node; −1 if it was never called. */
export function depthOf(edges: Edges, node: number): number {
  if (node === 0) return 0;
  let depth = -1;
  const bit = 1 << node;
  for (let caller = 0; caller < edges.length; caller++) {
    if ((edges[caller]! & bit) === 0) continue;
    const above = depthOf(edges, caller);
    if (above >= 0 && above + 1 > depth) depth = above + 1;
  }
  return depth;
}

/** Longest path that begins at a node. */
function heightOf(edges: Edges, node: number): number {
  const callees = edges[node]!;
  if (callees === 0) return 0;
  let height = 0;
  for (let callee = 0; callee < edges.length; callee++)
    if ((callees & (1 << callee)) !== 0) height = Math.max(height, 1 + heightOf(edges, callee));
  return height;
}

/** Longest path of the whole graph from the orchestrator. */
export function graphDepth(edges: Edges): number {
  return heightOf(edges, 0);
}

/** Rules of {@link canDelegate}; the tests switch the cycle rule off to see that it is needed. */
export interface DelegationRules {
  readonly maxDepth: number;
  readonly checkCycles?: boolean;
}

/**
 * True if `caller` may hand work to `callee`: another node, within the depth limit, and never back to somebody from whom the
 * work came. The callee's own chain counts for the limit, since it moves down with it. A caller not yet called stands at
 * depth 1: the same action calls it.
 */
export function canDelegate(edges: Edges, caller: number, callee: number, rules: DelegationRules): boolean {
  if (caller === callee) return false;
  const depth = depthOf(edges, caller);
  if ((depth < 0 ? 1 : depth) + 1 + heightOf(edges, callee) > rules.maxDepth) return false;
  return rules.checkCycles === false || !reaches(edges, callee, caller);
}
