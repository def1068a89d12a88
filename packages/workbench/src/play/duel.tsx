import { type FormEvent, useId, useState } from "react";
import { type Episode, MOST_BRANCHES } from "./episode.ts";
import { PolicyOptions } from "./policy-options.tsx";
import { PAGE_POLICY, type Policies } from "./policy-player.ts";

/** Lets two policies play the episode from its reset, each in a branch of its own, and shows both. */
export function Duel({
  episode,
  policies,
  pairs,
  onDone,
}: {
  readonly episode: Episode;
  readonly policies: Policies;
  /** Pairs worth comparing, the best first. */
  readonly pairs: readonly (readonly [string, string])[];
  onDone(): void;
}) {
  const id = useId();
  const [names, setNames] = useState<readonly [string, string]>(() => {
    const known = pairs.find((pair) => pair.every((name) => policies.names.includes(name)));
    return known ?? [policies.names[0] ?? PAGE_POLICY, policies.names[1] ?? PAGE_POLICY];
  });
  const [isBusy, setBusy] = useState(false);
  const isFull = episode.branches.length + 2 > MOST_BRANCHES;
  const isPlaying = episode.branches.some(({ running, state }) => running !== null || state !== "ready");
  const play = async (): Promise<void> => {
    setBusy(true);
    const [first] = episode.branches;
    for (const [index, name] of names.entries()) {
      // A first branch that nobody has played yet is one of the two.
      if (index === 0 && first!.turns.length === 0) episode.select(0);
      else await episode.fork(first!, 0);
      await episode.run(episode.branch, name, () => 0);
    }
    setBusy(false);
    onDone();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isBusy && !isFull && !isPlaying) void play();
  };
  return (
    <details className="panel fold">
      <summary>
        <h2>The same by two policies</h2>
        <span className="quiet">from the reset, side by side</span>
      </summary>
      <form className="duel" aria-label="The same by two policies" onSubmit={submit}>
        {([0, 1] as const).map((index) => (
          <div key={index} className="field">
            <label htmlFor={`${id}${index}`}>{index === 0 ? "First policy" : "Second policy"}</label>
            <select
              id={`${id}${index}`}
              value={names[index]}
              disabled={isBusy}
              onChange={(event) => {
                const { value } = event.target;
                setNames(index === 0 ? [value, names[1]] : [names[0], value]);
              }}
            >
              <PolicyOptions policies={policies} />
            </select>
          </div>
        ))}
        <button type="submit" className="primary" disabled={isBusy || isFull || isPlaying}>
          Play both
        </button>
        <span className="quiet" role="status">
          {isBusy ? "Both are being played …" : isFull ? "No room for two more branches: begin again." : ""}
        </span>
      </form>
    </details>
  );
}
