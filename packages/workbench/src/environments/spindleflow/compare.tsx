import type { Branch, WireObject } from "../../play/branch.ts";
import { Scroll } from "../../ui/scroll.tsx";
import { number } from "../../ui/text.ts";
import type { CompareProps } from "../module.ts";
import { DelegationGraph } from "./delegation-graph.tsx";
import { asSpindleFlow, seconds, type TaskEnd, type TaskWork, taskEndOf, workAt } from "./observation.ts";

/** A task that a branch has ended. */
interface Ended {
  readonly end: TaskEnd;
  readonly work: TaskWork;
  readonly costUnits: number;
}

function endedTasks(branch: Branch): readonly Ended[] {
  return branch.turns.flatMap((turn, index) => {
    const end = taskEndOf(turn.result.info as WireObject);
    if (end === null) return [];
    return [{ end, work: workAt(branch, index + 1), costUnits: Number(turn.result.info.costUnits ?? 0) }];
  });
}

/** The same tasks as each branch worked on them: who was called, and what it paid, took and cost. */
export function SpindleFlowCompare({ branches }: CompareProps) {
  const ended = branches.map((branch) => endedTasks(branch));
  const tasks = Math.max(0, ...ended.map((each) => each.length));
  const roster = branches[0]?.start;
  if (tasks === 0 || roster === null || roster === undefined)
    return <p className="empty">No task has ended yet; its delegations appear here, side by side.</p>;
  const { summary } = asSpindleFlow(roster.observation);
  return (
    <Scroll label="The same tasks side by side">
      {Array.from({ length: tasks }, (_, task) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a task's number is its name
        <section key={task} className="versus" aria-label={`Task ${task + 1}`}>
          <h3>Task {task + 1}</h3>
          <div className="versus-row">
            {branches.map((branch, index) => {
              const one = ended[index]![task];
              const by = branch.turns.at(-1)?.by ?? "nobody yet";
              return (
                <div key={branch.id} className="versus-cell">
                  <p>
                    <strong>Branch {branch.name}</strong> <span className="quiet">{by}</span>
                  </p>
                  {one === undefined ? (
                    <p className="quiet">Not ended yet.</p>
                  ) : (
                    <>
                      <p>
                        Reward <strong className="number">{number(one.end.reward, 3)}</strong>
                        <span className="quiet">
                          {`, ${seconds(one.end.inputs.elapsedMs ?? 0)} of ${seconds(one.end.inputs.slaMs ?? 0)}, ${number(one.costUnits, 3)} cost units`}
                        </span>
                      </p>
                      <DelegationGraph work={one.work} roster={summary.roster} />
                    </>
                  )}
                </div>
              );
            })}
          </div>
        </section>
      ))}
    </Scroll>
  );
}
