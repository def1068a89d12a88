import type { EnvDefinition, StepResult } from "@praxis/env";

/** Episodes kept; the oldest makes room. */
const KEPT = 100;

/** One episode as `/episodes` tells it. Wire names. */
export interface RecentEpisode {
  readonly env: string;
  readonly episode_id: string | null;
  /** Null when the reset named none. */
  readonly seed: number | null;
  /** ISO 8601. */
  readonly begun_at: string;
  readonly steps: number;
  /** Sum of the rewards so far. */
  readonly return: number;
  readonly status: "running" | "terminated" | "truncated" | "left";
  /** Why it ended, where the environment says. */
  readonly reason: string | null;
}

/** The entry of a running episode. Mutable on purpose: a step costs three assignments. */
class EpisodeEntry {
  readonly #about: Pick<RecentEpisode, "env" | "episode_id" | "seed" | "begun_at">;
  #steps = 0;
  #return = 0;
  #status: RecentEpisode["status"] = "running";
  #reason: string | null = null;

  constructor(about: Pick<RecentEpisode, "env" | "episode_id" | "seed" | "begun_at">) {
    this.#about = about;
  }

  add({ reward, terminated, truncated, info }: StepResult<unknown>): void {
    this.#steps++;
    this.#return += reward;
    if (!terminated && !truncated) return;
    this.#status = terminated ? "terminated" : "truncated";
    this.#reason = info.terminationReason ?? null;
  }

  /** Its session ended, or another reset came: an episode that had not ended by then never will. */
  leave(): void {
    if (this.#status === "running") this.#status = "left";
  }

  describe(): RecentEpisode {
    return {
      ...this.#about,
      steps: this.#steps,
      return: this.#return,
      status: this.#status,
      reason: this.#reason,
    };
  }
}

export type { EpisodeEntry };

/** The newest episodes of this process, for people who look in. Holds no observation, action or option: none may leak. */
export class RecentEpisodes {
  readonly #entries: EpisodeEntry[] = [];

  /** Adds an episode that begins. @param begunAt ISO 8601 */
  begin(definition: EnvDefinition, episodeId: string | null, seed: number | undefined, begunAt: string): EpisodeEntry {
    const entry = new EpisodeEntry({
      env: definition.name,
      episode_id: episodeId,
      seed: seed ?? null,
      begun_at: begunAt,
    });
    this.#entries.push(entry);
    if (this.#entries.length > KEPT) this.#entries.shift();
    return entry;
  }

  /** Newest first. */
  list(): RecentEpisode[] {
    return this.#entries.map((entry) => entry.describe()).reverse();
  }
}
