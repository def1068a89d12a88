import { deflateSync, inflateSync } from "node:zlib";
import { Rng, type Scene, type SceneShape, type SyncEnv } from "@praxis/env";
import { makeSyncEnv } from "@praxis/eval";
import { loadPolyGuard } from "@praxis/polyguard";
import { type ExpertPlan, makeExpert } from "@praxis/polyguard/data";
import { type Demonstration, demonstrate, makeSceneTask, type SftExample } from "@praxis/train";

/** The best play of a unit, as a line of a file. */
export interface ExpertEpisode {
  readonly unit: number;
  readonly scenarioId: string;
  /** Name of the policy whose play was kept; null when no play could be shown in the learner's actions. */
  readonly policy: string | null;
  /** What each policy's play came to. */
  readonly values: Readonly<Record<string, number>>;
  /** Scenes and choices, deflated, as base64. */
  readonly episode: string;
}

/** Plays plans one after another, in this thread or in a worker. */
export class ExpertPlayer {
  readonly #definition = loadPolyGuard();
  readonly #env = makeSyncEnv(this.#definition) as SyncEnv;
  readonly #task = makeSceneTask(this.#definition);

  /** Every policy of the plan plays the scenario; the play that came to most is kept, the first of equals. */
  async play({ unit, scenarioId, seed, policies, maxSteps }: ExpertPlan): Promise<ExpertEpisode> {
    const values: Record<string, number> = {};
    let best: { readonly name: string; readonly shown: Demonstration<Scene> } | null = null;
    for (const name of policies) {
      const shown = await demonstrate({
        ...{ env: this.#env, task: this.#task.episode?.() ?? this.#task, maxSteps },
        policy: makeExpert(name, this.#env),
        rng: Rng.fromSeed(seed, `experts/${scenarioId}/${name}`),
        reset: { seed, options: { scenario_id: scenarioId, score_task: false } },
      });
      if (shown === null) continue;
      values[name] = shown.value;
      if (best === null || shown.value > best.shown.value) best = { name, shown };
    }
    const episode = best === null ? "" : packEpisode(best.shown.examples);
    return { unit, scenarioId, policy: best?.name ?? null, values, episode };
  }

  close(): void {
    this.#env.close();
  }
}

/** Numbers of an episode, one scene after the other: counts, group, context, items, edges, candidates, what they are about, the choice. */
function packEpisode(examples: readonly SftExample<Scene>[]): string {
  const numbers = examples.flatMap(({ decision: scene, choice }) => [
    ...[scene.itemCount, scene.candidateCount, scene.group ?? 0],
    ...[...scene.context, ...scene.items, ...scene.edges, ...scene.candidates],
    ...[...scene.itemOf, ...scene.abstains, ...choice!],
  ]);
  return deflateSync(Buffer.from(Float32Array.from(numbers).buffer), { level: 1 }).toString("base64");
}

/** The examples that {@link ExpertPlayer.play} packed. */
export function unpackEpisode({ episode }: ExpertEpisode, shape: SceneShape): readonly SftExample<Scene>[] {
  if (episode === "") return [];
  // A copy of its own, as floats must lie at a multiple of four.
  const numbers = new Float32Array(Uint8Array.from(inflateSync(Buffer.from(episode, "base64"))).buffer);
  const examples: SftExample<Scene>[] = [];
  let at = 0;
  const take = (count: number): Float32Array => {
    at += count;
    return numbers.slice(at - count, at);
  };
  while (at < numbers.length) {
    const [itemCount, candidateCount, group] = take(3) as unknown as readonly [number, number, number];
    const decision: Scene = {
      context: take(shape.context),
      itemCount,
      items: take(itemCount * shape.items),
      edges: Uint8Array.from(take(shape.relations * itemCount * itemCount)),
      candidateCount,
      candidates: take(candidateCount * shape.candidates),
      itemOf: Int16Array.from(take(candidateCount)),
      abstains: Uint8Array.from(take(candidateCount)),
      group,
    };
    examples.push({ decision, choice: take(3) });
  }
  return examples;
}
