import { useState } from "react";
import { moduleOf } from "../environments/index.ts";
import { playAddress } from "../router.ts";
import { useLink } from "../server/link.tsx";
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

/** One part of the tour: an episode of one environment. */
interface Part {
  readonly env: string;
  readonly begin: { readonly seed: number; readonly options: Readonly<Record<string, unknown>> };
  /** Policies that play, and that go the other way; of each list the first that is there. */
  readonly plays: readonly string[];
  readonly other: readonly string[];
  readonly stops: readonly Stop[];
}

/** The tour: an easy patient whose list has one dangerous pair, then one task for a team. */
const PARTS: readonly Part[] = [
  {
    env: "polyguard",
    begin: { seed: 7, options: { difficulty: "easy" } },
    plays: ["planner_critic", "rule_based"],
    other: ["keep_always", "random"],
    stops: [
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
    ],
  },
  {
    env: "spindleflow",
    begin: { seed: 3, options: { tasksPerEpisode: 1 } },
    plays: ["greedyMediate"],
    other: ["random"],
    stops: [
      {
        title: "A task and six specialists",
        text: "Another environment: an orchestrator gets a request in words and a roster of specialists who describe themselves. Some exaggerate. Time is limited, and calling too many costs reward.",
        act: "begin",
      },
      {
        title: "Whom to call",
        text: "A rule calls those whose texts are nearest to the task. The graph shows who called whom and what came of it; below it stands why each was chosen.",
        act: "step",
      },
      {
        title: "When to stop",
        text: "The rule repairs what failed, then hands in the work. The reward falls into signed terms: quality against a generalist alone, then time, failures and the number of people. What was true is told only now.",
        act: "run",
      },
      {
        title: "The same task by chance",
        text: "A second branch meets the same task, people and luck, and chooses at random.",
        act: "other",
      },
      {
        title: "Now you",
        text: "Choose Side by side to compare both branches. Take steps yourself, undo them, or begin with another seed. Keys: p policy step, r run or pause, u undo, f fork.",
        act: "none",
      },
    ],
  },
];

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
  const { environments } = useLink();
  // Parts whose environment this server has; another environment's page has no tour of its own.
  const parts = PARTS.filter(({ env }) => env === playable.name || environments?.includes(env) === true);
  const index = parts.findIndex(({ env }) => env === playable.name);
  const part = parts[index] ?? PARTS[0]!;
  const stopsBefore = parts.slice(0, Math.max(0, index)).reduce((sum, { stops }) => sum + stops.length, 0);
  const stopsInAll = parts.reduce((sum, { stops }) => sum + stops.length, 0);
  const nextPart = parts[index + 1];
  const [at, setAt] = useState(-1);
  const [isBusy, setBusy] = useState(false);
  const { policies } = playable;
  const pick = (...names: string[]): string => names.find((name) => policies.names.includes(name)) ?? PAGE_POLICY;
  const act = async (what: Stop["act"]): Promise<void> => {
    const { episode } = holder;
    if (what === "begin") {
      const defaults = moduleOf(playable.name)?.resetDefaults ?? {};
      await holder.begin(setup, {
        seed: part.begin.seed,
        episodeId: null,
        options: { ...defaults, ...part.begin.options },
      });
      return;
    }
    if (episode === null) return;
    if (what === "step") await episode.stepBy(episode.branch, pick(...part.plays));
    if (what === "run") await episode.run(episode.branch, pick(...part.plays), () => 300);
    if (what === "other") {
      await episode.fork(episode.branches[0]!, 0);
      await episode.run(episode.branch, pick(...part.other), () => 150);
    }
  };
  const go = async (next: number): Promise<void> => {
    const stop = part.stops[next];
    if (stop === undefined) {
      location.hash =
        nextPart === undefined ? location.hash.replace("?tour=1", "") : `${playAddress(nextPart.env)}?tour=1`;
      return;
    }
    setBusy(true);
    setAt(next);
    await act(stop.act);
    setBusy(false);
  };
  const stop = part.stops[at];
  return (
    <section className="tour" aria-label="Guided tour" aria-live="polite">
      <p className="tour-count">
        {stop === undefined && stopsBefore === 0
          ? "Two minutes"
          : `${stopsBefore + Math.max(0, at) + 1} of ${stopsInAll}`}
      </p>
      <h2>{stop?.title ?? (stopsBefore === 0 ? "A guided episode" : "The second environment")}</h2>
      <p>
        {stop?.text ??
          (stopsBefore === 0
            ? "The page plays an episode of each environment for you and explains what you see. Nothing is stored, and you can take over at any time."
            : "Now one of SpindleFlow: not a patient, but a team that has to be led.")}
      </p>
      <div className="row">
        <button type="button" className="primary" disabled={isBusy} onClick={() => void go(at + 1)}>
          {at === -1
            ? "Begin"
            : at < part.stops.length - 1
              ? "Next"
              : nextPart === undefined
                ? "Finish the tour"
                : "On to the next environment"}
        </button>
        <a className="button plain" href={location.hash.replace("?tour=1", "")}>
          Leave the tour
        </a>
        {isBusy ? <span className="quiet">The episode is being played …</span> : null}
      </div>
    </section>
  );
}
