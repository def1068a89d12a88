/** Phases of the curriculum. Source: the founding plan; thresholds are `assumption:` */
const LAST_PHASE = 3;
/** Episodes over which the mean is taken, and those that a phase lasts at least. */
const WINDOW = 400;
const MIN_EPISODES = 1000;
/** How far the mean must exceed the phase's greedy baseline. */
const MARGIN = 0.02;
/** Share of all steps after which a phase ends anyway. */
const STEP_CAPS: readonly number[] = [0.3, 0.6];

/** Progress through the phases. Plain data. */
export interface CurriculumState {
  readonly phase: 1 | 2 | 3;
  readonly episodesInPhase: number;
  /** Raw rewards per task of the latest episodes of the phase, oldest first. */
  readonly recent: readonly number[];
}

/** Where training begins. */
export const CURRICULUM_START: CurriculumState = { phase: 1, episodesInPhase: 0, recent: [] };

/** What an episode's end tells the curriculum. */
export interface EpisodeOutcome {
  /** Raw reward per task, never a normalised one. */
  readonly reward: number;
  /** Steps so far over steps in all, 0 … 1. */
  readonly stepsShare: number;
  /** Mean reward per task of `greedyMediate` in each phase, measured once at the start. */
  readonly baselines: readonly [number, number, number];
}

/**
 * The state after one more episode. A phase is left when its latest 400 episodes beat its baseline by 0.02 and at least 1,000
 * were played, or when its share of the steps is used up; never backwards.
 */
export function advanceCurriculum(state: CurriculumState, outcome: EpisodeOutcome): CurriculumState {
  const episodesInPhase = state.episodesInPhase + 1;
  const recent = [...state.recent, outcome.reward].slice(-WINDOW);
  const { phase } = state;
  if (phase === LAST_PHASE) return { phase, episodesInPhase, recent };
  const mean = recent.reduce((sum, reward) => sum + reward, 0) / recent.length;
  const hasLearned =
    episodesInPhase >= MIN_EPISODES && recent.length === WINDOW && mean > outcome.baselines[phase - 1]! + MARGIN;
  if (!hasLearned && outcome.stepsShare < STEP_CAPS[phase - 1]!) return { phase, episodesInPhase, recent };
  return { phase: (phase + 1) as CurriculumState["phase"], episodesInPhase: 0, recent: [] };
}
