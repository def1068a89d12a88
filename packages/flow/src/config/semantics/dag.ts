import type { DraftStep } from "../draft.ts";
import { nearestName } from "../nearest.ts";
import { pathText } from "../schema-problems.ts";
import type { Names } from "./collect.ts";

/** Checks needs (E225) and cycles (E224). Returns for each node the names of all it depends on. */
export function checkDag(names: Names, dag: DraftStep): ReadonlyMap<string, ReadonlySet<string>> {
  const nodes = new Map(dag.children.map((child) => [child.node!.name, child]));
  for (const child of dag.children)
    for (const need of child.node!.needs)
      if (!nodes.has(need.name))
        names.report(
          "E225",
          child.document.valueRange(need.path),
          `${pathText(need.path)} is "${need.name}", which is not a node.`,
          { suggestion: nearestName(need.name, nodes.keys()), known: [...nodes.keys()] },
        );
  const cycle = shortestCycle(nodes);
  if (cycle !== undefined) {
    const place = (from: string, to: string) => {
      const step = nodes.get(from)!;
      return step.document.valueRange(step.node!.needs.find((need) => need.name === to)!.path);
    };
    // "a → b" reads "a needs b" all through.
    names.report("E224", place(cycle[0]!, cycle[1]!), `The nodes need each other: ${cycle.join(" → ")}.`, {
      related: cycle
        .slice(1, -1)
        .map((name, i) => ({ ...start(place(name, cycle[i + 2]!)), message: `${name} needs ${cycle[i + 2]}` })),
    });
  }
  return new Map(dag.children.map((child) => [child.node!.name, ancestors(nodes, child.node!.name)]));
}

function start(range: { readonly file: string; readonly line: number; readonly column: number }) {
  return { file: range.file, line: range.line, column: range.column };
}

function ancestors(nodes: ReadonlyMap<string, DraftStep>, name: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [name];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const need of nodes.get(next)?.node?.needs ?? [])
      if (nodes.has(need.name) && !found.has(need.name)) {
        found.add(need.name);
        open.push(need.name);
      }
  return found;
}

/** One shortest cycle as names, first and last equal; of equal length the one whose node comes first in the file. */
function shortestCycle(nodes: ReadonlyMap<string, DraftStep>): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  for (const origin of nodes.keys()) {
    const cameFrom = new Map<string, string>();
    const queue = [origin];
    search: for (let i = 0; i < queue.length; i++) {
      const here = queue[i]!;
      for (const need of nodes.get(here)!.node!.needs) {
        if (need.name === origin) {
          const way = [origin];
          for (let step = here; step !== origin; step = cameFrom.get(step)!) way.unshift(step);
          const cycle = [origin, ...(here === origin ? [] : way.slice(0, -1)), origin];
          if (best === undefined || cycle.length < best.length) best = cycle;
          break search;
        }
        if (nodes.has(need.name) && !cameFrom.has(need.name)) {
          cameFrom.set(need.name, here);
          queue.push(need.name);
        }
      }
    }
  }
  return best;
}
