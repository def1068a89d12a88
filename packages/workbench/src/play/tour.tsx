import { useState } from "react";
import { moduleOf } from "../environments/index.ts";
import type { EpisodeSetup } from "./episode.ts";
import type { Playable } from "./play-page.tsx";
import { PAGE_POLICY } from "./policy-player.ts";
import type { EpisodeHolder } from "./use-episode.ts";

/** One stop: what to read, and what has been done when it is read. */
interface Stop {
  readonly title: string;
  readonly text: string;
  readonly act: "begin" | "step" | "run" | "fork" | "other" | "none";
}

const STOPS: readonly Stop[] = [
  {
    title: "A patient on many drugs",
    text: "One simulated older patient. Everything the agent may know is below: the person, conditions, organs and laboratory values with their age, and the list of medications with its alerts. Some facts are missing or old on purpose.",
    act: "begin",
  },
  {
    title: "Choices, with their rules",
    text: "On the right are the actions on offer. Some are traps: the rules of the environment refuse them, and this page says so before you send one. Now a policy made of rules takes the first step.",
    act: "step",
  },
  {
    title: "What it earned",
    text: "Thirteen checks score the step, in four groups with weights: safety first. Each bar says how much it adds to the reward. A gate would cap all of it, for example after an illegal action.",
    act: "none",
  },
  {
    title: "To the end",
    text: "The policy plays on until the review is finished. Every step stays in the list on the right: choose one to see what was known then.",
    act: "run",
  },
  {
    title: "Go back and try another way",
    text: "This is a fork: a second branch from the first step, in a session of its own. The same seed gives the same patient. Another policy plays it.",
    act: "other",
  },
  {
    title: "Now you",
    text: "Choose Side by side to compare both branches. Take steps yourself, undo them, or begin with another seed. Keys: p policy step, r run or pause, u undo, f fork.",
    act: "none",
  },
];

/** Seed and options of the tour: an easy patient whose list has one dangerous pair. */
const TOUR = { seed: 7, options: { difficulty: "easy" } };

/** A guided episode: it plays while it explains, and can be left at any time. */
export function Tour({
  playable,
  holder,
  setup,
}: {
  readonly playable: Playable;
  readonly holder: EpisodeHolder;
  readonly setup: EpisodeSetup;
}) {
  const [at, setAt] = useState(-1);
  const [isBusy, setBusy] = useState(false);
  const { policies } = playable;
  const pick = (...names: string[]): string => names.find((name) => policies.includes(name)) ?? PAGE_POLICY;
  const act = async (what: Stop["act"]): Promise<void> => {
    const { episode } = holder;
    if (what === "begin") {
      const defaults = moduleOf(playable.name)?.resetDefaults ?? {};
      await holder.begin(setup, { seed: TOUR.seed, episodeId: null, options: { ...defaults, ...TOUR.options } });
      return;
    }
    if (episode === null) return;
    if (what === "step") await episode.stepBy(episode.branch, pick("planner_critic", "rule_based"));
    if (what === "run") await episode.run(episode.branch, pick("planner_critic", "rule_based"), () => 300);
    if (what === "other") {
      await episode.fork(episode.branches[0]!, 0);
      await episode.run(episode.branch, pick("keep_always", "random"), () => 150);
    }
  };
  const go = async (next: number): Promise<void> => {
    const stop = STOPS[next];
    if (stop === undefined) {
      location.hash = location.hash.replace("?tour=1", "");
      return;
    }
    setBusy(true);
    setAt(next);
    await act(stop.act);
    setBusy(false);
  };
  const stop = STOPS[at];
  return (
    <section className="tour" aria-label="Guided tour" aria-live="polite">
      <p className="tour-count">{stop === undefined ? "Two minutes" : `${at + 1} of ${STOPS.length}`}</p>
      <h2>{stop?.title ?? "A guided episode"}</h2>
      <p>
        {stop?.text ??
          "The page plays one PolyGuard episode for you and explains what you see. Nothing is stored, and you can take over at any time."}
      </p>
      <div className="row">
        <button type="button" className="primary" disabled={isBusy} onClick={() => void go(at + 1)}>
          {at === -1 ? "Begin" : at === STOPS.length - 1 ? "Finish the tour" : "Next"}
        </button>
        <a className="button plain" href={location.hash.replace("?tour=1", "")}>
          Leave the tour
        </a>
        {isBusy ? <span className="quiet">The episode is being played …</span> : null}
      </div>
    </section>
  );
}
