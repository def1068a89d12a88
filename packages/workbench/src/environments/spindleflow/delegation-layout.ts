import type { Call, Party } from "./observation.ts";

/** A node with its place, in units of the picture. */
interface GraphNode {
  readonly party: Party;
  readonly x: number;
  readonly y: number;
}

/** All calls between two parties as one line. */
interface GraphEdge {
  readonly from: Party;
  readonly to: Party;
  readonly count: number;
  /** Whether the newest of them delivered. */
  readonly isOk: boolean;
  /** Own score of the newest that had one. */
  readonly score: number | null;
  readonly isNew: boolean;
  readonly path: string;
}

/** The picture of a task's delegations. */
export interface DelegationLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

const WIDTH = 530;
const NARROW = 370;
const ROW = 48;
const LEFT = 60;
const MIDDLE = 265;
const RIGHT = 470;
const TOP = 42;
/** Top of a line that goes over the slots. */
const OVER = 12;

/**
 * Places the orchestrator at the left, slots in the middle in their order and the others at the right, so that a node never
 * moves while a task goes on.
 * @param slots that are filled @param latest step whose calls count as new
 */
export function layOut(
  slots: readonly number[],
  calls: readonly (Call & { readonly step: number })[],
  latest: number,
): DelegationLayout {
  const height = TOP * 2 + Math.max(2, slots.length - 1) * ROW;
  const others = ["requester", "mediator", "generalist"].filter((name) =>
    calls.some(({ caller, callee }) => caller === name || callee === name),
  );
  const spread = (count: number, index: number): number => (height * (index + 1)) / (count + 1);
  const nodes: GraphNode[] = [
    { party: "orchestrator", x: LEFT, y: height / 2 },
    ...slots.map((party, index) => ({ party, x: MIDDLE, y: TOP + index * ROW })),
    ...others.map((party, index) => ({ party, x: RIGHT, y: spread(others.length, index) })),
  ];
  const place = new Map(nodes.map((node) => [node.party, node]));
  const byPair = new Map<string, (Call & { step: number })[]>();
  for (const call of calls) {
    if (!place.has(call.caller) || !place.has(call.callee)) continue;
    const key = `${call.caller}|${call.callee}`;
    byPair.set(key, [...(byPair.get(key) ?? []), call]);
  }
  const edges = [...byPair.values()].map((same): GraphEdge => {
    const newest = same.at(-1)!;
    const [from, to] = [place.get(newest.caller)!, place.get(newest.callee)!];
    return {
      from: newest.caller,
      to: newest.callee,
      count: same.length,
      isOk: newest.status === "ok",
      score: same.findLast(({ score }) => score !== null)?.score ?? null,
      isNew: newest.step === latest,
      path: pathBetween(from, to),
    };
  });
  // Without others at the right, and bows to make room for, the picture is cut there: larger on a phone.
  return { width: others.length > 0 ? WIDTH : NARROW, height, nodes, edges };
}

/** Half of a node's width and height. */
const HALF = { x: 52, y: 17 };

function pathBetween(from: GraphNode, to: GraphNode): string {
  if (from.x === to.x) {
    // Within a column: a bow at the right, longer ones further out.
    const out = from.x + HALF.x + 10 + Math.abs(to.y - from.y) * 0.17;
    return `M ${from.x + HALF.x} ${from.y} C ${out} ${from.y} ${out} ${to.y} ${to.x + HALF.x + 5} ${to.y}`;
  }
  const forward = to.x > from.x ? 1 : -1;
  const [x1, x2] = [from.x + forward * HALF.x, to.x - forward * (HALF.x + 5)];
  // From end to end of the picture: over the slots, not through them. The middle of a quadratic curve lies halfway to its bend.
  if (Math.abs(to.x - from.x) > MIDDLE) {
    const [y1, y2] = [from.y - HALF.y, to.y - HALF.y - 5];
    return `M ${from.x} ${y1} Q ${(from.x + to.x) / 2} ${2 * OVER - (y1 + y2) / 2} ${to.x} ${y2}`;
  }
  const mid = (x1 + x2) / 2;
  return `M ${x1} ${from.y} C ${mid} ${from.y} ${mid} ${to.y} ${x2} ${to.y}`;
}
