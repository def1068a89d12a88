import type { ActionPayload } from "../actions/types.ts";
import type { WorldState } from "../world/types.ts";
import { followUps, isMacroStart } from "./macros.ts";
import { follow, judge, judgeKeep, type PlanNode } from "./plan-node.ts";
import type { PlanningModel } from "./planning-model.ts";
import { regimenKey } from "./regimen-key.ts";

/** Size of the search. */
export interface SearchOptions {
  /** Nodes kept per visit. */
  readonly width: number;
  /** Best actions followed per node, beside KEEP. */
  readonly branching: number;
  /** Nodes of a visit, the best first, whose actions over several visits are followed. */
  readonly macroNodes: number;
  /** Such beginnings followed per node. */
  readonly macroStarts: number;
}

/** assumption: sizes of the reference planner; wider beams gained less than .0005 in J. */
export const DEFAULT_SEARCH: SearchOptions = { width: 7, branching: 6, macroNodes: 2, macroStarts: 3 };

/** An action that costs this much of J when nothing follows it is tried as the beginning of a sequence only (assumption:). */
const HOPELESS = 0.01;

/** Information steps that one visit may hold in a plan. */
const ORDERS_PER_VISIT = 2;

/**
 * The best plan found from a state over the visits that are left, by a beam search: nodes of a visit are ranked by J when
 * nothing more is done, each is followed by its best actions and KEEP, and the best nodes also by sequences over two or
 * three visits whose first step pays only later.
 * @param rootOffers actions allowed at the root, where they are fewer than the model's own
 */
export function searchPlan(
  model: PlanningModel,
  root: WorldState,
  options: SearchOptions = DEFAULT_SEARCH,
  rootOffers: readonly ActionPayload[] | null = null,
): PlanNode {
  const visits = root.clock.visitsLeft;
  const layers: Map<string, PlanNode>[] = Array.from({ length: visits + 1 }, () => new Map());
  const start: PlanNode = { state: root, loss: 0, plan: [], value: -model.remainingLoss(root) };
  insert(layers[0]!, start);
  for (let depth = 0; depth < visits; depth++) {
    let nodes = best(layers[depth]!, options.width);
    // Orders keep the visit open: their nodes are expanded in the same layer, a few at most.
    for (let round = 0; round <= ORDERS_PER_VISIT && nodes.length > 0; round++) {
      const opened: Map<string, PlanNode> = new Map();
      for (const [rank, node] of nodes.entries()) {
        const offers = depth === 0 && round === 0 ? rootOffers : null;
        const canFollowMacros = round === 0 && rank < options.macroNodes;
        expand(model, node, { ...options, macroStarts: canFollowMacros ? options.macroStarts : 0 }, offers, {
          next: (child, closed) => insert(layers[depth + closed]!, child),
          open: (child) => insert(opened, child),
        });
      }
      nodes = best(opened, ORDERS_PER_VISIT);
    }
  }
  let winner: PlanNode = start;
  let highest = Number.NEGATIVE_INFINITY;
  for (const node of layers[visits]!.values()) {
    const value = -(node.loss + model.remainingLoss(node.state));
    if (value <= highest) continue;
    winner = { ...node, value };
    highest = value;
  }
  return winner;
}

interface Sink {
  /** Takes a node `closed` visits later, if that many are left. */
  next(node: PlanNode, closed: number): void;
  /** Takes a node of the same visit. */
  open(node: PlanNode): void;
}

function expand(
  model: PlanningModel,
  node: PlanNode,
  options: SearchOptions,
  rootOffers: readonly ActionPayload[] | null,
  sink: Sink,
): void {
  const { state } = node;
  const payloads = rootOffers ?? model.offers(state).map(({ payload }) => payload);
  const tried = payloads
    .map((payload) => judge(model, node, payload))
    .filter((each) => each !== null)
    .sort((x, y) => y.value - x.value);
  const keep = judgeKeep(model, node);
  sink.next(follow(model, node, keep), 1);
  let followed = 0;
  for (const choice of tried) {
    if (followed === options.branching || choice.value < keep.value - HOPELESS) break;
    if (!choice.outcome.closesVisit) {
      const isWorthwhile = choice.value > keep.value && state.clock.stepsLeft > state.clock.visitsLeft;
      if (isWorthwhile) sink.open(follow(model, node, choice));
      continue;
    }
    followed++;
    sink.next(follow(model, node, choice), 1);
  }
  if (options.macroStarts === 0) return;
  let started = 0;
  for (const choice of tried) {
    if (started === options.macroStarts || state.clock.visitsLeft < 2) return;
    if (!choice.outcome.closesVisit || !isMacroStart(model, state, choice.payload)) continue;
    started++;
    let current = follow(model, node, choice);
    let closed = 1;
    for (const step of followUps(model, state, choice.payload, current)) {
      current = step;
      closed++;
      sink.next(current, closed);
    }
  }
}

function insert(layer: Map<string, PlanNode>, node: PlanNode): void {
  const key = regimenKey(node.state);
  const other = layer.get(key);
  if (other === undefined || node.value > other.value) layer.set(key, node);
}

function best(layer: Map<string, PlanNode>, count: number): PlanNode[] {
  return [...layer.values()].sort((x, y) => y.value - x.value).slice(0, count);
}
