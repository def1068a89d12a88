import { existsSync, readFileSync } from "node:fs";
import { hashText, PraxisError, type Scene, type SceneShape } from "@praxis/env";
import { codeVersion } from "@praxis/polyguard";
import { planExpert } from "@praxis/polyguard/data";
import type { SftExample } from "@praxis/train";
import { playInOrder } from "../data/ordered-play.ts";
import { appendJsonLines, readJsonLines } from "../evaluation/results-file.ts";
import { type ExpertEpisode, ExpertPlayer, unpackEpisode } from "./play-experts.ts";

/** First line of a file of expert episodes: what they depend on. */
interface ExpertHead {
  readonly dataSeed: number;
  readonly scenes: string;
  readonly code: string;
}

const WORKER_URL = new URL("../../dist/learning/expert-worker.js", import.meta.url);

/**
 * Plays expert episodes into a file until it holds `units`; what is there already is kept, a line cut off by a kill is made again.
 * Throws VALIDATION_ERROR for a file of other code, scenes or seed.
 */
export async function writeExperts(
  file: string,
  options: {
    readonly units: number;
    readonly dataSeed: number;
    readonly scenes: string;
    readonly workers: number;
    readonly signal?: AbortSignal;
    onProgress(done: number, total: number): void;
  },
): Promise<void> {
  const { units, dataSeed, scenes, workers, signal, onProgress } = options;
  const head: ExpertHead = { dataSeed, scenes, code: codeVersion() };
  const lines = readJsonLines<ExpertHead | ExpertEpisode>(file);
  if (lines.length === 0) appendJsonLines(file, [head]);
  else if (JSON.stringify(lines[0]) !== JSON.stringify(head))
    throw new PraxisError(
      "VALIDATION_ERROR",
      `'${file}' holds experts of another seed, or of other code: ${JSON.stringify(lines[0])}. Choose another folder.`,
    );
  let done = Math.max(0, lines.length - 1);
  onProgress(done, units);
  if (done >= units) return;
  const played = playInOrder({
    ...{ first: done, workers, workerUrl: WORKER_URL },
    planOf: (unit) => planExpert(unit, dataSeed),
    makeLocal: () => {
      const player = new ExpertPlayer();
      return { waiting: 0, play: (plan) => player.play(plan), close: async () => player.close() };
    },
  });
  for await (const { played: episode } of played) {
    appendJsonLines(file, [episode]);
    onProgress(++done, units);
    if (done >= units || signal?.aborted === true) return;
  }
}

/** Episodes of a file with the hash of what was read; none that no policy could show. Throws VALIDATION_ERROR if there is no file. */
export function readExperts(
  file: string,
  shape: SceneShape,
): { readonly episodes: readonly (readonly SftExample<Scene>[])[]; readonly hash: string } {
  if (!existsSync(file)) throw new PraxisError("VALIDATION_ERROR", `There are no expert episodes in '${file}'.`);
  const [, ...lines] = readJsonLines<ExpertHead | ExpertEpisode>(file) as [ExpertHead, ...ExpertEpisode[]];
  const episodes = lines.map((line) => unpackEpisode(line, shape)).filter((examples) => examples.length > 0);
  return { episodes, hash: hashText(readFileSync(file, "utf8")) };
}
