import { useMemo } from "react";
import type { EnvironmentModule } from "../environments/module.ts";
import { Panel } from "../ui/panel.tsx";
import { Plot, type PlotSeries } from "../ui/plot.tsx";
import { Scroll } from "../ui/scroll.tsx";
import { count, number } from "../ui/text.ts";
import type { Branch } from "./branch.ts";
import type { Episode } from "./episode.ts";
import { turnText } from "./trace-panel.tsx";

/** Steps shown of each branch: the first that differ are what one compares. */
const MOST_ROWS = 400;

/** All branches side by side: returns as curves, actions and rewards step by step, where they part marked. */
export function Comparison({
  episode,
  module,
}: {
  readonly episode: Episode;
  readonly module: EnvironmentModule | null;
}) {
  const { branches } = episode;
  const longest = Math.max(...branches.map((branch) => branch.turns.length));
  const lengths = branches.map((branch) => branch.turns.length).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: branches change in place; their lengths say when
  const { x, series } = useMemo(
    () => ({
      x: Array.from({ length: longest + 1 }, (_, step) => step),
      series: branches.map(
        (branch, index): PlotSeries => ({
          label: `Branch ${branch.name}`,
          colour: `--plot-${(index % 6) + 1}`,
          values: Array.from({ length: longest + 1 }, (_, step) =>
            step === 0 ? 0 : (branch.returns[step - 1] ?? null),
          ),
        }),
      ),
    }),
    [longest, lengths],
  );
  return (
    <Panel title="Branches side by side" className="comparison">
      <div className="branch-totals">
        {branches.map((branch) => (
          <div key={branch.id} className="tile">
            <span className="quiet">Branch {branch.name}</span>
            <strong className="number">{number(branch.total)}</strong>
            <span className="quiet">
              return in {count(branch.turns.length, "step")}
              {branch.isOver ? ", ended" : ""}
            </span>
          </div>
        ))}
      </div>
      {longest === 0 ? (
        <p className="empty">No branch has a step yet.</p>
      ) : (
        <>
          <Plot title="Return by step" x={x} xLabel="step" yLabel="return (sum of rewards)" series={series} />
          {module?.Compare === undefined ? null : <module.Compare branches={branches} />}
          <Scroll label="Steps of all branches">
            <table className="compare-table">
              <thead>
                <tr>
                  <th scope="col">Step</th>
                  {branches.map((branch) => (
                    <th key={branch.id} scope="col">
                      Branch {branch.name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {Array.from({ length: Math.min(longest, MOST_ROWS) }, (_, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a step's number is its name
                  <tr key={index}>
                    <th scope="row">{index + 1}</th>
                    {branches.map((branch) => (
                      <Cell key={branch.id} branch={branch} index={index} module={module} />
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
          {longest > MOST_ROWS ? (
            <p className="quiet">
              The first {MOST_ROWS} of {longest} steps are listed.
            </p>
          ) : null}
        </>
      )}
    </Panel>
  );
}

function Cell({
  branch,
  index,
  module,
}: {
  readonly branch: Branch;
  readonly index: number;
  readonly module: EnvironmentModule | null;
}) {
  const turn = branch.turns[index];
  if (turn === undefined) return <td className="none">–</td>;
  const isShared = index < branch.forkedAt;
  return (
    <td className={isShared ? "shared" : "own"}>
      {isShared ? (
        <span className="quiet">as in the branch before</span>
      ) : (
        turnText(module, turn, branch.resultAt(index)?.observation ?? {})
      )}
      <span className="compare-reward">
        <span className="number">{number(turn.result.reward, 3)}</span> <span className="quiet">{turn.by}</span>
      </span>
    </td>
  );
}
