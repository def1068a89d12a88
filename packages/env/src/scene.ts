/** Widths of a {@link Scene}'s blocks. */
export interface SceneShape {
  /** Numbers that describe the situation as a whole. */
  readonly context: number;
  /** Numbers that describe an item. */
  readonly items: number;
  /** Kinds of edge between items. */
  readonly relations: number;
  /** Numbers that describe a candidate. */
  readonly candidates: number;
  /** Kinds of situation whose confidences are calibrated apart; default 1. */
  readonly groups?: number;
}

/** What a candidate-scoring policy sees of a decision. Items and candidates are sets: their order means nothing. */
export interface Scene {
  /** [context] */
  readonly context: Float32Array;
  readonly itemCount: number;
  /** [itemCount, items], row-major. */
  readonly items: Float32Array;
  /** [relations, itemCount, itemCount]: 1 = an edge to row's item from column's item. */
  readonly edges: Uint8Array;
  /** At least 1 while the episode goes on. */
  readonly candidateCount: number;
  /** [candidateCount, candidates], row-major. */
  readonly candidates: Float32Array;
  /** [candidateCount]: the item that a candidate is about, -1 none. */
  readonly itemOf: Int16Array;
  /** [candidateCount]: 1 = the candidate hands the decision to someone else. */
  readonly abstains: Uint8Array;
  /** Kind of situation, below the shape's groups; default 0. */
  readonly group?: number;
}

/** As much of a result of reset or step as scenes are read from. */
export interface SceneResult<Observation = unknown> {
  readonly observation: Observation;
  readonly info: object;
}

/** Reads one episode's results into scenes, with what the observation alone tells and what the reader remembers of it. */
export interface SceneReader<Action = unknown, Observation = unknown> {
  /** The scene of a result; each result once, in order. */
  read(last: SceneResult<Observation>): Scene;
  /**
   * The action of a candidate of the scene read last; the reader takes note that it is done.
   * @param confidence stated with it, 0-1
   */
  choose(candidate: number, confidence: number): Action;
  /** The candidate of the scene read last that stands for an action; null = none does. */
  candidateOf(action: Action): number | null;
  /** A reader that goes on from here by itself. */
  fork(): SceneReader<Action, Observation>;
}

/** Scenes of an environment: the candidates worth considering, described as sets with a graph. */
export interface SceneProvider<Action = unknown, Observation = unknown> {
  /** Of the numbers' meaning; trained weights name it. */
  readonly version: string;
  readonly shape: SceneShape;
  /** A reader for an episode that is about to begin. */
  begin(): SceneReader<Action, Observation>;
  /** Whether the action that led to a result was a good one, which confidence is held against; null = not told. */
  wasGood(result: SceneResult<Observation>): boolean | null;
  /** What an episode came to that ended with a result, for learners; null = the sum of its rewards. */
  returnOf?(result: SceneResult<Observation>): number | null;
}
