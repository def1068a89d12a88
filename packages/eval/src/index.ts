export { type EpisodeOutcome, type EpisodesRequest, makeSyncEnv, runEpisodes } from "./episodes.ts";
export { makeRandomPolicy } from "./policies.ts";
export { bootstrap, type Estimate, mean, pairedBootstrap, quantile, wilson } from "./statistics.ts";
