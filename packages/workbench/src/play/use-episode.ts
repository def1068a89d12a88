import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { Beginning } from "./branch.ts";
import { Episode, type EpisodeSetup } from "./episode.ts";

/** The episode of one environment in this tab, which outlives going to another page and back. */
class EpisodeHolder {
  episode: Episode | null = null;
  #version = 0;
  #isTold = false;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly version = (): number => this.#version;

  begin(setup: EpisodeSetup, beginning: Beginning): Promise<void> {
    this.episode?.close();
    this.episode = new Episode(setup, beginning, () => this.#tell());
    return this.episode.begin();
  }

  leave(): void {
    this.episode?.close();
    this.episode = null;
    this.#tell();
  }

  /** Redraws once a frame at most: a policy may play thousands of steps a second. */
  #tell(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const tell = (): void => {
      this.#isTold = false;
      this.#version++;
      for (const listener of this.#listeners) listener();
    };
    if (document.hidden) setTimeout(tell, 50);
    else requestAnimationFrame(tell);
  }
}

const holders = new Map<string, EpisodeHolder>();

/** The episode at an address, redrawn at every change. Another environment's sessions end when one is opened. */
export function useEpisode(url: string): EpisodeHolder {
  const holder = useMemo(() => {
    let found = holders.get(url);
    if (found === undefined) {
      found = new EpisodeHolder();
      holders.set(url, found);
    }
    return found;
  }, [url]);
  useEffect(() => {
    for (const [other, kept] of holders) if (other !== url) kept.leave();
  }, [url]);
  useSyncExternalStore(holder.subscribe, holder.version);
  return holder;
}

export type { EpisodeHolder };
