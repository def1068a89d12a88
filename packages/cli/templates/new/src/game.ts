import { type Info, type Simulator, weightedTotal } from "@praxis/env";

/** What the agent chooses. */
export interface Action {
  readonly guess: number;
}

/** What the agent sees: the bounds that it knows of, both included, and how many guesses are left. */
export interface Observation {
  readonly low: number;
  readonly high: number;
  readonly guessesLeft: number;
}

/** What a reset may choose. */
export interface Options {
  /** Largest number that may be hidden; default drawn from {@link HIGHEST_RANGE}. */
  readonly highest?: number;
}

/** The whole state, the hidden number included. */
export interface State extends Observation {
  readonly hidden: number;
}

/** Guesses until the episode is cut. */
export const MAX_GUESSES = 10;
/** From where the largest hidden number is drawn, unless a reset gives it; both included. */
export const HIGHEST_RANGE = [50, 100] as const;
/** Weights of the reward components; they sum to 1. */
export const REWARD_WEIGHTS = { found: 0.8, narrowed: 0.2 };

const observe = ({ low, high, guessesLeft }: State): Observation => ({ low, high, guessesLeft });

/** The rules, without clock, network or fields: states are values, and a transition returns a new one. */
export const game: Simulator<State, Action, Observation, Options> = {
  begin({ options }, streams) {
    // A stream for each draw, so that giving the highest number shifts no other draw.
    const high = options.highest ?? streams.stream("highest").integer(...HIGHEST_RANGE);
    const state = { low: 1, high, guessesLeft: MAX_GUESSES, hidden: streams.stream("hidden").integer(1, high) };
    return { state, observation: observe(state) };
  },

  transition(before, { guess }) {
    const isLegal = guess >= before.low && guess <= before.high;
    const found = guess === before.hidden;
    const guessesLeft = before.guessesLeft - 1;
    const state: State = {
      ...before,
      guessesLeft,
      low: isLegal && guess < before.hidden ? guess + 1 : before.low,
      high: isLegal && guess > before.hidden ? guess - 1 : before.high,
    };
    const size = before.high - before.low + 1;
    const rewardComponents = {
      found: found ? 1 : 0,
      // Share of the possible numbers that this guess has ruled out.
      narrowed: found ? 1 : isLegal ? (size - (state.high - state.low + 1)) / size : 0,
    };
    const truncated = !found && guessesLeft === 0;
    const info: Info = {
      rewardComponents,
      ...(isLegal
        ? {}
        : {
            violations: [
              { kind: "outOfBounds", message: `${guess} is outside ${before.low} to ${before.high}.`, guess },
            ],
          }),
      ...(found || truncated ? { terminationReason: found ? "found" : "guessLimit" } : {}),
    };
    return {
      state,
      observation: observe(state),
      reward: weightedTotal(rewardComponents, REWARD_WEIGHTS),
      terminated: found,
      truncated,
      info,
    };
  },
};
