import { useEffect, useId, useRef, useState } from "react";
import { Term } from "../ui/term.tsx";
import { count, number } from "../ui/text.ts";
import type { Branch } from "./branch.ts";
import { type Episode, MOST_BRANCHES } from "./episode.ts";
import type { Playable } from "./play-page.tsx";
import { PolicyOptions } from "./policy-options.tsx";
import { PAGE_POLICY } from "./policy-player.ts";

const SPEEDS: readonly { readonly name: string; readonly pauseMs: number }[] = [
  { name: "Slow, 2 s a step", pauseMs: 2_000 },
  { name: "Steady, ½ s a step", pauseMs: 500 },
  { name: "Quick, 0.1 s a step", pauseMs: 100 },
  { name: "At full speed", pauseMs: 0 },
];

/** State, branches, undo and fork, and the policy that may play. */
export function Toolbar({
  playable,
  firstPolicies,
  episode,
  step,
  isComparing,
  onCompare,
}: {
  readonly playable: Playable;
  /** A policy that explains itself is the best first one. */
  readonly firstPolicies: readonly string[];
  readonly episode: Episode;
  readonly step: number;
  readonly isComparing: boolean;
  onCompare(is: boolean): void;
}) {
  const { branch } = episode;
  const { policies } = playable;
  const id = useId();
  const [policy, setPolicy] = useState(
    () =>
      [...firstPolicies, "random"].find((name) => policies.names.includes(name)) ?? policies.names[0] ?? PAGE_POLICY,
  );
  const [speed, setSpeed] = useState(1);
  // Read at every step, so that a change of speed holds at once.
  const pause = useRef(SPEEDS[1]!.pauseMs);
  const isBusy = branch.state === "busy" || branch.state === "opening";
  const canAct = !isBusy && branch.state === "ready" && !branch.isOver;
  const isRunning = branch.running !== null;
  const run = (): void => {
    if (isRunning) episode.pause(branch);
    else if (canAct) void episode.run(branch, policy, () => pause.current);
  };
  const undo = (): void => {
    if (!isRunning && !isBusy) void episode.undo(branch);
  };
  const fork = (): void => {
    if (!isRunning && !isBusy) void episode.fork(branch, step);
  };
  useShortcuts({
    p: () => canAct && !isRunning && void episode.stepBy(branch, policy),
    r: run,
    u: undo,
    f: fork,
  });
  return (
    <section className="toolbar" aria-label="Episode">
      <div className="toolbar-line">
        <Status branch={branch} />
        <div className="row tools">
          <button
            type="button"
            onClick={undo}
            disabled={isRunning || isBusy || branch.turns.length === 0}
            aria-keyshortcuts="u"
          >
            Undo <kbd>u</kbd>
          </button>
          <button
            type="button"
            onClick={fork}
            disabled={isRunning || isBusy || episode.branches.length >= MOST_BRANCHES}
            aria-keyshortcuts="f"
          >
            Fork at step {step} <kbd>f</kbd>
          </button>
        </div>
        <div className="row tools policy">
          <label className="visually-hidden" htmlFor={`${id}-policy`}>
            Policy
          </label>
          <select
            id={`${id}-policy`}
            value={policy}
            disabled={isRunning}
            onChange={(event) => setPolicy(event.target.value)}
          >
            <PolicyOptions policies={policies} />
          </select>
          <button
            type="button"
            onClick={() => void episode.stepBy(branch, policy)}
            disabled={!canAct || isRunning}
            aria-keyshortcuts="p"
          >
            Policy step <kbd>p</kbd>
          </button>
          <button
            type="button"
            className="primary"
            onClick={run}
            disabled={!isRunning && !canAct}
            aria-keyshortcuts="r"
          >
            {isRunning ? "Pause" : "Run"} <kbd>r</kbd>
          </button>
          <label className="visually-hidden" htmlFor={`${id}-speed`}>
            Speed
          </label>
          <select
            id={`${id}-speed`}
            value={speed}
            onChange={(event) => {
              const next = Number(event.target.value);
              setSpeed(next);
              pause.current = SPEEDS[next]?.pauseMs ?? 0;
            }}
          >
            {SPEEDS.map(({ name }, index) => (
              <option key={name} value={index}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </div>
      {episode.branches.length < 2 ? null : (
        <div className="branches">
          <div className="row">
            {episode.branches.map((each, index) => (
              <button
                key={each.id}
                type="button"
                className="branch-tab"
                aria-pressed={index === episode.active && !isComparing}
                onClick={() => {
                  onCompare(false);
                  episode.select(index);
                }}
              >
                <strong>Branch {each.name}</strong>
                <span>
                  {each.parent === null ? "" : `from step ${each.forkedAt}, `}
                  {count(each.turns.length, "step")}, return {number(each.total)}
                </span>
              </button>
            ))}
            <button
              type="button"
              className="branch-tab"
              aria-pressed={isComparing}
              onClick={() => onCompare(!isComparing)}
            >
              <strong>Side by side</strong>
              <span>all branches</span>
            </button>
          </div>
        </div>
      )}
    </section>
  );
}

function Status({ branch }: { readonly branch: Branch }) {
  const { last } = branch;
  const text =
    branch.state === "opening"
      ? "Opening a session …"
      : branch.state === "lost"
        ? "The session is gone"
        : branch.running !== null
          ? `${branch.running} plays`
          : branch.state === "busy"
            ? "Waiting for the server …"
            : branch.isOver
              ? `Ended: ${last?.truncated === true ? "truncated" : "terminated"}${typeof last?.info.terminationReason === "string" ? `, ${last.info.terminationReason.replaceAll("_", " ")}` : ""}`
              : "Your turn";
  return (
    <div className="status">
      <p className="status-text" role="status">
        {text}
      </p>
      <p className="quiet">
        {count(branch.turns.length, "step")}, <Term word="return">return</Term>{" "}
        <strong className="number">{number(branch.total)}</strong>
      </p>
    </div>
  );
}

/** Keys that act while nothing is being typed. */
function useShortcuts(actions: Readonly<Record<string, () => void>>): void {
  const kept = useRef(actions);
  kept.current = actions;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { target } = event;
      if (
        target instanceof HTMLElement &&
        target.closest("input:not([type=radio]), textarea, select, [contenteditable]")
      )
        return;
      const act = kept.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
