import { PraxisError } from "@praxis/env";
import type { DelegationDecision, DelegationPolicy, DelegationState } from "@praxis/flow";
import { type EmbedText, liveCall, readLiveScene, scoreText, type TextJudge } from "@praxis/spindleflow";
import type { RecordedPlayer } from "@praxis/train";
import { loadTextEmbedder } from "./live-embedder.ts";
import { loadOrchestrator, orchestratorFolder, readOrchestrator } from "./orchestrator.ts";

/**
 * A trained orchestrator that drives real agents in a `delegate` step: it reads the same numbers as in the environment, made of
 * texts by the embedder it was trained with. It serves one step: its memory begins with the first decision. After a resume it
 * begins at the decision that is asked for, as what went before is not told again.
 * @param name of an orchestrator that ships, or the folder of a run. Throws UNKNOWN_NAME, INVALID_CONFIG without the embedder
 */
export async function loadLiveOrchestrator(name: string): Promise<DelegationPolicy> {
  const folder = orchestratorFolder(name);
  const { checkpoint } = readOrchestrator(folder);
  const { identity } = checkpoint.state as { readonly identity?: Readonly<Record<string, unknown>> };
  const embed = await loadTextEmbedder(String(identity?.embedder));
  return makeLiveOrchestrator(name, await loadOrchestrator(folder), embed);
}

/** {@link loadLiveOrchestrator} of its parts. @param judge scores what was delivered, by default tier 0 on text */
export function makeLiveOrchestrator(
  name: string,
  player: RecordedPlayer,
  embed: EmbedText,
  judge: TextJudge = scoreText,
): DelegationPolicy {
  player.reset();
  const vectors = new Map<string, Float32Array>();
  const embedOnce: EmbedText = (text) => {
    const known = vectors.get(text) ?? embed(text);
    vectors.set(text, known);
    return known;
  };
  return {
    async decide(state: DelegationState): Promise<DelegationDecision> {
      const stop = (reason: string): DelegationDecision => ({ meta: "stop", mode: "sequential", members: [], reason });
      if (state.step >= state.maxSteps) return stop("the steps are used up");
      const scores = await Promise.all(state.outputs.map(({ text }) => judge(state.task, text)));
      const { observation, info, seats } = readLiveScene(state, scores, embedOnce);
      const { action, valueEstimate, odds } = player.decide(observation, info);
      const call = liveCall(action as { vector: ArrayLike<number> }, seats);
      const told = (part: string, choice: string): number => odds?.[part]?.[choice] ?? 0;
      const measured = scores.length === 0 ? "nothing is there yet" : `measured ${Math.max(...scores).toFixed(2)}`;
      const sure = `call ${percent(told("meta", "callSpecialist"))}, stop ${percent(told("meta", "stop"))}`;
      if (call === null) return { ...stop(`${name}: ${measured}; ${sure}`), valueEstimate };
      const whom = call.members.map((id) => {
        const slot = seats.findIndex((seat) => seat.id === id);
        return `${id} ${percent(told("slot", String(slot)))}`;
      });
      return {
        ...{ meta: "call", mode: call.mode, members: call.members, valueEstimate },
        probabilities: call.members.map((id) => told("slot", String(seats.findIndex((seat) => seat.id === id)))),
        reason: `${name}: ${measured}; ${sure}; ${whom.join(", ")}`,
      };
    },
  };
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** The orchestrator of a name in a flow file, `spindleflow:NAME`. Throws INVALID_CONFIG with what can be done instead. */
export async function liveOrchestratorOf(name: string): Promise<DelegationPolicy> {
  try {
    return await loadLiveOrchestrator(name);
  } catch (error) {
    if (!(error instanceof PraxisError) || error.code !== "INVALID_CONFIG") throw error;
    throw new PraxisError("INVALID_CONFIG", `${error.message} 'spindleflow:cascade' needs none.`, { cause: error });
  }
}
