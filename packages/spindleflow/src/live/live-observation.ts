import type { Info } from "@praxis/env";
import { makeConfig } from "../config.ts";
import { META_ACTIONS, MODES } from "../names.ts";
import { EMBEDDING_LENGTH, observationLayout } from "../observation.ts";
import type { LiveMember, LiveScene } from "./cascade.ts";

/** Slots that the trained orchestrators have weights for. */
const SLOTS = 6;
/** Ways to call that an execution backend has, by the trained modes that mean them: results of a step are joined there anyway. */
const LIVE_MODES: Readonly<Record<string, "sequential" | "parallel">> = {
  sequential: "sequential",
  parallel: "parallel",
  fanOutReduce: "parallel",
};
/** The environment as the orchestrators were trained in it. */
const TRAINED = makeConfig();

/** Text to a vector of length 1; the embedder that the orchestrator was trained with. */
export type EmbedText = (text: string) => Float32Array;

/** What a trained orchestrator reads of real work, laid out as in the environment. */
export interface LiveReading {
  readonly observation: { readonly vector: Float32Array };
  readonly info: Info;
  /** Members by slot: the six nearest to the task, in the order of the roster. */
  readonly seats: readonly LiveMember[];
}

/**
 * Real work as an observation of the environment (six slots): vectors of the task and of the specialists' own descriptions, who
 * was called and with what score, time against the limit. What has no counterpart in real work is zero: conflicts, and the share
 * of a shift. Clarifying, mediating, retrying and consulting are forbidden, as a `delegate` step has none of them.
 * @param scores of `scene.outputs`, 0 … 1
 */
export function readLiveScene(scene: LiveScene, scores: readonly number[], embed: EmbedText): LiveReading {
  const layout = observationLayout(SLOTS);
  const vector = new Float32Array(layout.length);
  const task = embed(scene.task);
  vector.set(task, layout.task);
  const cards = scene.roster.map((member, place) => ({ member, place, card: embed(member.description) }));
  const seats = [...cards]
    .sort((a, b) => dot(task, b.card) - dot(task, a.card) || a.place - b.place)
    .slice(0, SLOTS)
    .sort((a, b) => a.place - b.place);
  const scoreOf = new Map(scene.outputs.map(({ id }, i) => [id, scores[i]!]));
  const slotOf = new Map(seats.map(({ member }, slot) => [member.id, slot]));
  for (let slot = 0; slot < SLOTS; slot++) {
    const seat = seats[slot];
    vector[layout.calledMask + slot] = seat === undefined || seat.member.called ? 1 : 0;
    if (seat === undefined) continue;
    vector.set(seat.card, layout.roster + slot * EMBEDDING_LENGTH);
    if (!seat.member.called) continue;
    vector.set(seat.card, layout.called + slot * EMBEDDING_LENGTH);
    const score = scoreOf.get(seat.member.id);
    vector[layout.adjacency + 1 + slot] = seat.member.failed || score === undefined ? 0.25 : 0.5 + 0.5 * score;
  }
  for (const { id } of scene.outputs) {
    const card = seats[slotOf.get(id) ?? -1]?.card;
    if (card === undefined) continue;
    for (let i = 0; i < EMBEDDING_LENGTH; i++) {
      const at = layout.scratchpad + i;
      vector[at] = (1 - TRAINED.memoryNew) * vector[at]! + TRAINED.memoryNew * card[i]!;
    }
  }
  const called = seats.filter(({ member }) => member.called).length;
  const failed = seats.filter(({ member }) => member.failed).length;
  const s = layout.scalars;
  vector[s] = Math.min(1, scene.step / TRAINED.maxStepsPerTask);
  vector[s + 1] = called > 0 ? 1 / TRAINED.maxDelegationDepth : 0;
  vector[s + 2] = called / SLOTS;
  vector[s + 3] = scene.slaMs === undefined ? 0 : Math.min(3, scene.elapsedMs / scene.slaMs);
  vector[s + 6] = Math.min(1, failed / 4);
  vector[s + 7] = scores.length === 0 ? 0 : Math.max(...scores);
  const open = Array.from({ length: SLOTS }, (_, slot) => {
    const member = seats[slot]?.member;
    return member !== undefined && !member.called && member.allowed;
  });
  const nobody = new Array<boolean>(SLOTS).fill(false);
  // Handing in nothing is no answer to a request while somebody can be asked.
  const mayStop = scene.outputs.length > 0 || !open.includes(true);
  return {
    observation: { vector },
    info: {
      actionMask: {
        meta: META_ACTIONS.map((meta) =>
          meta === "callSpecialist" ? open.includes(true) : meta === "stop" && mayStop,
        ),
        slots: open,
        modes: MODES.map((mode) => Object.hasOwn(LIVE_MODES, mode)),
        leads: nobody,
        consult: nobody.map(() => nobody),
      },
    },
    seats: seats.map(({ member }) => member),
  };
}

/** What a trained orchestrator's action means for an execution backend: whom to call and how, null to stop. */
export function liveCall(
  action: { readonly vector: ArrayLike<number> },
  seats: readonly LiveMember[],
): { readonly mode: "sequential" | "parallel"; readonly members: readonly string[] } | null {
  const { vector } = action;
  if (META_ACTIONS[Math.round(vector[0]!)] !== "callSpecialist") return null;
  const chosen = seats
    .map(({ id }, slot) => ({ id, score: vector[1 + slot]! }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const mode = LIVE_MODES[MODES[Math.round(vector[1 + SLOTS]!)] ?? ""] ?? "sequential";
  return { mode, members: chosen.map(({ id }) => id) };
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
