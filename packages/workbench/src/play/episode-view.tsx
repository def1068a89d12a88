import { useEffect, useMemo, useState } from "react";
import type { EnvironmentModule, EnvironmentViewProps } from "../environments/module.ts";
import { Panel } from "../ui/panel.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { Tree } from "../ui/tree.tsx";
import { ActionPanel } from "./action-panel.tsx";
import type { WireObject } from "./branch.ts";
import { changedPaths } from "./changes.ts";
import { Comparison } from "./comparison.tsx";
import { Duel } from "./duel.tsx";
import type { Episode } from "./episode.ts";
import type { Playable } from "./play-page.tsx";
import { RewardPanel } from "./reward-panel.tsx";
import { Toolbar } from "./toolbar.tsx";
import { TracePanel } from "./trace-panel.tsx";

/** An episode: what is seen, what can be done, what it earned, and all steps with their branches. */
export function EpisodeView({
  playable,
  module,
  episode,
}: {
  readonly playable: Playable;
  readonly module: EnvironmentModule | null;
  readonly episode: Episode;
}) {
  const { branch } = episode;
  const { length } = branch.turns;
  /** The step looked at; null follows the last. */
  const [looked, setLooked] = useState<number | null>(null);
  const [isComparing, setComparing] = useState(false);
  /** On narrow screens one part is shown at a time. */
  const [pane, setPane] = useState<"main" | "side">("main");
  const step = Math.min(looked ?? length, length);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another branch is looked at from its end
  useEffect(() => setLooked(null), [episode.active]);
  const shown = branch.resultAt(step);
  const before = step === 0 ? null : branch.resultAt(step - 1);
  const changed = useMemo(
    () => (before === null || shown === null ? new Set<string>() : changedPaths(before.observation, shown.observation)),
    [before, shown],
  );
  const look = (wanted: number): void => setLooked(wanted >= length ? null : wanted);
  const toolbar = (
    <Toolbar
      playable={playable}
      firstPolicies={module?.firstPolicies ?? []}
      episode={episode}
      step={step}
      isComparing={isComparing}
      onCompare={setComparing}
    />
  );
  if (shown === null)
    return (
      <div className="episode">
        {branch.problem === null ? (
          <p className="loading">Opening a session and resetting …</p>
        ) : (
          <ProblemNotice problem={branch.problem}>
            <button type="button" onClick={() => void episode.recover(branch)}>
              Try again
            </button>
          </ProblemNotice>
        )}
      </div>
    );
  const view: EnvironmentViewProps = {
    branch,
    step,
    observation: shown.observation,
    info: shown.info as WireObject,
    changed,
    metadata: playable.metadata,
    server: episode.server,
    beginning: episode.beginning,
  };
  const warnings = Array.isArray(shown.info.warnings) ? shown.info.warnings.map(String) : [];
  return (
    <div className="episode">
      {toolbar}
      <ProblemNotice problem={branch.problem}>
        {branch.state === "lost" ? (
          <button type="button" onClick={() => void episode.recover(branch)}>
            Play it again on a new session
          </button>
        ) : undefined}
      </ProblemNotice>
      {branch.warning === null ? null : <p className="notice warn">{branch.warning}</p>}
      {step === 0 && warnings.length > 0 ? <p className="notice warn">{warnings.join(" ")}</p> : null}
      {isComparing || playable.policies.names.length < 2 ? null : (
        <Duel
          episode={episode}
          policies={playable.policies}
          pairs={module?.pairs ?? []}
          onDone={() => setComparing(true)}
        />
      )}
      {step < length ? (
        <div className="notice look">
          <p>
            You look at step {step} of {length}. What is below is what was seen then.
          </p>
          <div className="row">
            <button type="button" onClick={() => void episode.fork(branch, step)}>
              Fork from here
            </button>
            <button type="button" className="plain" onClick={() => setLooked(null)}>
              Back to the present
            </button>
          </div>
        </div>
      ) : null}
      {isComparing && episode.branches.length > 1 ? (
        <Comparison episode={episode} module={module} />
      ) : (
        <div className={`columns show-${pane}`}>
          <fieldset className="panes">
            <legend className="visually-hidden">Part of the page</legend>
            {PANES.map(({ name, text }) => (
              <button key={name} type="button" aria-pressed={pane === name} onClick={() => setPane(name)}>
                {text}
              </button>
            ))}
          </fieldset>
          <div className="column-main">
            {module === null ? null : <module.View {...view} />}
            <Observation view={view} isFolded={module !== null} />
          </div>
          <div className="column-side">
            {step === length ? (
              <ActionPanel playable={playable} module={module} episode={episode} branch={branch} />
            ) : null}
            {module === null ? <RewardPanel branch={branch} step={step} /> : <module.Reward {...view} />}
            <TracePanel branch={branch} module={module} step={step} onLook={look} />
          </div>
        </div>
      )}
    </div>
  );
}

const PANES = [
  { name: "main", text: "What is seen" },
  { name: "side", text: "Act, reward, steps" },
] as const;

function Observation({ view, isFolded }: { readonly view: EnvironmentViewProps; readonly isFolded: boolean }) {
  const { observation, info, changed } = view;
  const tree = <Tree value={observation} changed={changed} />;
  const rest =
    Object.keys(info).length === 0 ? null : (
      <details>
        <summary>Info beside the observation</summary>
        <div className="inner">
          <Tree value={info} changed={EMPTY} />
        </div>
      </details>
    );
  if (isFolded)
    return (
      <details className="panel fold">
        <summary>
          <h2>Observation in full</h2>
          <span className="quiet">everything the agent sees{changed.size > 0 ? ", changes marked" : ""}</span>
        </summary>
        {tree}
        {rest}
      </details>
    );
  return (
    <Panel
      title="Observation"
      aside={changed.size > 0 ? <span className="quiet">● changed by the last step</span> : undefined}
    >
      {tree}
      {rest}
    </Panel>
  );
}

const EMPTY: ReadonlySet<string> = new Set();
