import { ErrorBoundary } from "../../ui/error-boundary.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Term } from "../../ui/term.tsx";
import { count, number } from "../../ui/text.ts";
import type { EnvironmentViewProps } from "../module.ts";
import { ChoicePanel } from "./choice.tsx";
import { DelegationGraph } from "./delegation-graph.tsx";
import { Flags } from "./flags.tsx";
import { asSpindleFlow, seconds, workAt } from "./observation.ts";
import { Roster } from "./roster.tsx";
import { Scratchpad } from "./scratchpad.tsx";
import { TruthPanel } from "./truth.tsx";
import { type Situation, useSituation } from "./use-situation.ts";

/** A task with its people: who was called, what came of it, and what it cost. */
export function SpindleFlowView(props: EnvironmentViewProps) {
  return (
    <ErrorBoundary what="The task">
      <Drawn {...props} />
    </ErrorBoundary>
  );
}

function Drawn({ branch, step, observation, server, beginning }: EnvironmentViewProps) {
  const seen = asSpindleFlow(observation);
  const situation = useSituation({ server, beginning, branch, step });
  const before = useSituation({ server, beginning, branch, step: Math.max(0, step - 1) });
  const work = workAt(branch, step);
  const turn = step === 0 ? null : (branch.turns[step - 1] ?? null);
  const isOver = branch.resultAt(step)?.done === true;
  return (
    <>
      <TaskPanel seen={seen} situation={situation} isOver={isOver} />
      {turn === null ? null : <ChoicePanel turn={turn} work={work} before={before} roster={seen.summary.roster} />}
      <Panel
        title={<Term word="delegation">Delegations</Term>}
        aside={
          <span className="quiet">
            task {work.taskNumber}, {count(work.calls.length, "call")}
          </span>
        }
      >
        <DelegationGraph work={work} roster={seen.summary.roster} />
        <p className="legend-line">
          <span>✓ solid line: delivered</span>
          <span>⊘ dashed line: failed</span>
          <span>thick: by the last step</span>
        </p>
      </Panel>
      <Roster roster={seen.summary.roster} situation={situation} />
      <Scratchpad branch={branch} step={step} work={work} roster={seen.summary.roster} situation={situation} />
      {isOver ? <TruthPanel server={server} beginning={beginning} branch={branch} step={step} /> : null}
    </>
  );
}

const TIERS = ["structural check", "likeness of texts", "small judge", "full judge"];

function TaskPanel({
  seen: { summary },
  situation,
  isOver,
}: {
  readonly seen: ReturnType<typeof asSpindleFlow>;
  readonly situation: Situation | null;
  readonly isOver: boolean;
}) {
  const late = situation === null ? 0 : situation.elapsedMs / situation.slaMs;
  return (
    <Panel
      title={isOver ? "Last task, ended" : "Task"}
      aside={
        <span className="quiet">
          {summary.task_number} of {summary.tasks}
        </span>
      }
    >
      <p className="task-text">{summary.task}</p>
      {situation === null || situation.taskFlags.length === 0 ? null : <Flags flags={situation.taskFlags} />}
      <dl className="tiles">
        <div className={late > 1 ? "tile bad" : "tile"}>
          <dt>
            <Term word="sla">Time</Term>
          </dt>
          <dd>
            <strong className="number">{seconds(summary.elapsed_ms)}</strong>{" "}
            <span className="quiet">{situation === null ? "" : `of ${seconds(situation.slaMs)}`}</span>
            {situation === null ? null : (
              <span className="meter" aria-hidden="true">
                <span style={{ width: `${100 * Math.min(1, late)}%` }} />
              </span>
            )}
          </dd>
        </div>
        <div className="tile">
          <dt>
            <Term word="measuredQuality">Measured quality</Term>
          </dt>
          <dd>
            <strong className="number">{number(summary.measured_quality, 2)}</strong>{" "}
            <span className="quiet">of 1</span>
          </dd>
        </div>
        {situation === null ? null : (
          <>
            <div className="tile">
              <dt>
                <Term word="costUnits">Cost</Term>
              </dt>
              <dd>
                <strong className="number">{number(situation.costUnits, 3)}</strong>{" "}
                <span className="quiet">units</span>
              </dd>
            </div>
            <div className={situation.openConflicts > 0 ? "tile bad" : "tile"}>
              <dt>
                <Term word="conflict">Conflicts</Term>
              </dt>
              <dd>
                <strong className="number">{situation.openConflicts}</strong> <span className="quiet">unresolved</span>
              </dd>
            </div>
            <div className={situation.openFailures > 0 ? "tile bad" : "tile"}>
              <dt>Failures</dt>
              <dd>
                <strong className="number">{situation.openFailures}</strong>{" "}
                <span className="quiet">not made good</span>
              </dd>
            </div>
            <div className="tile">
              <dt>
                <Term word="tier">Judge</Term>
              </dt>
              <dd>
                <strong className="number">Tier {situation.tier}</strong>{" "}
                <span className="quiet">{TIERS[situation.tier] ?? ""}</span>
              </dd>
            </div>
            <div className="tile">
              <dt>Reads as</dt>
              <dd>
                <strong>{situation.readClass}</strong>{" "}
                <span className="quiet">usually {count(situation.usualSpecialists, "specialist")}</span>
              </dd>
            </div>
            <div className="tile">
              <dt>Depth</dt>
              <dd>
                <strong className="number">{situation.depth}</strong>{" "}
                <span className="quiet">
                  of {situation.maxDepth}, {count(situation.stepsLeft, "step")} left
                </span>
              </dd>
            </div>
          </>
        )}
      </dl>
    </Panel>
  );
}
