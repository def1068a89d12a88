import type { Hono } from "hono";
import type { Forwarder } from "./forward.ts";
import type { RecentEpisode, RecentEpisodes } from "./recent-episodes.ts";

/** Query that asks one worker for its own episodes. */
const OWN = "own";
/** Episodes told at most. */
const TOLD = 100;

/**
 * Adds `GET /episodes`: the newest episodes, newest first; with several workers those of all.
 * @param env short name of the environment whose episodes are told; null = all of the server
 */
export function addEpisodeRoutes(
  app: Hono,
  recent: RecentEpisodes,
  forwarder: Forwarder | null,
  env: string | null,
): void {
  const path = env === null ? "/episodes" : `/${env}/episodes`;
  app.get("/episodes", async (c) => {
    const own = recent.list().filter((episode) => env === null || episode.env === env);
    if (forwarder === null || c.req.query(OWN) !== undefined) return c.json(own);
    const others = await forwarder.gather(`${path}?${OWN}`, c.req.header("authorization"));
    const all = [...own, ...others.flatMap((text) => JSON.parse(text) as RecentEpisode[])];
    return c.json(all.sort((a, b) => (a.begun_at < b.begun_at ? 1 : a.begun_at > b.begun_at ? -1 : 0)).slice(0, TOLD));
  });
}
