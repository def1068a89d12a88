import type { Violation } from "@praxis/env";
import { z } from "zod";
import type { BankIndex } from "./bank/bank-index.ts";
import { graphDepth } from "./engine/graph.ts";
import type { CallRecord, Party } from "./engine/log.ts";
import type { Masks } from "./engine/masks.ts";
import { openConflicts, openFailures } from "./engine/run.ts";
import type { EpisodeState } from "./episode.ts";
import { seatText, taskText } from "./shift/shift.ts";

/** Length of a text vector. */
export const EMBEDDING_LENGTH = 384;
/** Nodes of the delegation graph in the observation. */
const NODES = 10;
const ADJACENCY_LENGTH = NODES * NODES;
/** Scalars at the end of the observation. */
const SCALARS = 8;

/** Where each block of the observation begins, for S slots. */
export interface ObservationLayout {
  readonly size: number;
  readonly length: number;
  readonly task: number;
  readonly roster: number;
  readonly called: number;
  readonly scratchpad: number;
  readonly adjacency: number;
  readonly calledMask: number;
  readonly scalars: number;
}

/** Layout for S slots: 876 + 769·S numbers. */
export function observationLayout(size: number): ObservationLayout {
  const roster = EMBEDDING_LENGTH;
  const called = roster + size * EMBEDDING_LENGTH;
  const scratchpad = called + size * EMBEDDING_LENGTH;
  const adjacency = scratchpad + EMBEDDING_LENGTH;
  const calledMask = adjacency + ADJACENCY_LENGTH;
  const scalars = calledMask + size;
  return { size, length: scalars + SCALARS, task: 0, roster, called, scratchpad, adjacency, calledMask, scalars };
}

/** Node of a party in the observation's graph; with seven or eight slots the last nodes are shared. */
export function nodeOfParty(party: Party, size: number): number {
  if (typeof party === "number") return party + 1;
  const last = NODES - 1;
  switch (party) {
    case "orchestrator":
      return 0;
    case "mediator":
      return Math.min(last, Math.max(7, size + 1));
    case "generalist":
      return size <= 6 ? 8 : last;
    case "requester":
      return last;
  }
}

/** Edge value of a call: ¼ if it failed, ½ + ½ · its own score if it delivered. */
function edgeValue(call: CallRecord): number {
  if (call.status !== "ok") return 0.25;
  return 0.5 + 0.5 * (call.score ?? 0);
}

/** Writes the edges of a step's calls. An output without a score of its own keeps the edge's earlier value. */
export function writeEdges(vector: Float32Array, layout: ObservationLayout, calls: readonly CallRecord[]): void {
  for (const call of calls) {
    const at = layout.adjacency + NODES * nodeOfParty(call.caller, layout.size) + nodeOfParty(call.callee, layout.size);
    if (call.status === "ok" && call.score === null && vector[at]! > 0) continue;
    vector[at] = edgeValue(call);
  }
}

/** Writes the blocks that stand for a task: its text, nobody called, an empty graph. */
export function writeTaskStart(
  vector: Float32Array,
  layout: ObservationLayout,
  index: BankIndex,
  state: EpisodeState,
): void {
  const task = state.shift.tasks[state.taskIndex]!;
  vector.set(taskText(index, task).vector, layout.task);
  vector.fill(0, layout.called, layout.scratchpad);
  vector.fill(0, layout.adjacency, layout.calledMask);
}

/** Writes the roster rows; an empty slot is a zero row. */
export function writeRoster(
  vector: Float32Array,
  layout: ObservationLayout,
  index: BankIndex,
  state: EpisodeState,
): void {
  state.shift.seats.forEach((seat, slot) => {
    const at = layout.roster + slot * EMBEDDING_LENGTH;
    if (seat === null) vector.fill(0, at, at + EMBEDDING_LENGTH);
    else vector.set(seatText(index, seat).vector, at);
  });
}

/** Writes called rows, called mask and scalars as the state has them. */
export function writeProgress(vector: Float32Array, layout: ObservationLayout, state: EpisodeState): void {
  const { run, config, shift } = state;
  let called = 0;
  for (let slot = 0; slot < layout.size; slot++) {
    const isCalled = run.called[slot] === 1;
    const isEmpty = shift.seats[slot] === null;
    vector[layout.calledMask + slot] = isCalled || isEmpty ? 1 : 0;
    if (!isCalled) continue;
    called++;
    const to = layout.called + slot * EMBEDDING_LENGTH;
    const from = layout.roster + slot * EMBEDDING_LENGTH;
    vector.copyWithin(to, from, from + EMBEDDING_LENGTH);
  }
  const task = shift.tasks[state.taskIndex]!.world;
  const late = run.elapsedMs / task.slaMs;
  const depth = graphDepth(run.edges);
  const s = layout.scalars;
  vector[s] = run.steps / config.maxStepsPerTask;
  vector[s + 1] = depth / config.maxDelegationDepth;
  vector[s + 2] = called / layout.size;
  vector[s + 3] = Math.min(late, 3);
  if (config.scalars === "seed") {
    vector[s + 4] = config.phase / 3;
    vector[s + 5] = called > 0 ? 1 : 0;
    vector[s + 6] = depth === config.maxDelegationDepth ? 1 : 0;
    vector[s + 7] = late > 0.8 ? 1 : 0;
    return;
  }
  vector[s + 4] = state.tasksEnded / shift.tasks.length;
  vector[s + 5] = Math.min(openConflicts(run) / 4, 1);
  vector[s + 6] = Math.min(openFailures(run) / 4, 1);
  vector[s + 7] = run.outputs > 0 ? run.measured : state.lastScore;
}

/** Caller and callee nodes with an edge, and its value: the adjacency read back. */
export function readEdges(
  vector: Float32Array,
  layout: ObservationLayout,
): readonly { readonly from: number; readonly to: number; readonly value: number }[] {
  const edges: { from: number; to: number; value: number }[] = [];
  for (let from = 0; from < NODES; from++)
    for (let to = 0; to < NODES; to++) {
      const value = vector[layout.adjacency + NODES * from + to]!;
      if (value > 0) edges.push({ from, to, value });
    }
  return edges;
}

const flags = z.array(z.boolean());
const maskSchema = z.object({
  meta: flags,
  slots: flags,
  modes: flags,
  leads: flags,
  consult: z.array(flags),
});

/** What an agent sees. `vector` is a Float32Array in process and an array on the wire; `vectorB64` stands for it if asked for. */
export const observationSchema = z.object({
  vector: z
    .any()
    .refine((value) => value === undefined || Array.isArray(value) || value instanceof Float32Array, "must be numbers")
    .meta({ type: "array", items: { type: "number" } })
    .optional(),
  vectorB64: z.string().optional().describe("the vector as little-endian float32, base64"),
  action_mask: maskSchema,
  violations: z.array(z.looseObject({ kind: z.string(), message: z.string() })),
  summary: z
    .object({
      task: z.string().describe("the text of the task as it stands"),
      task_number: z.int(),
      tasks: z.int(),
      elapsed_ms: z.number(),
      measured_quality: z.number(),
      roster: z.array(
        z.object({
          slot: z.int(),
          role: z.string(),
          text: z.string(),
          status: z.enum(["empty", "free", "delivered", "failed"]),
        }),
      ),
    })
    .describe("texts for people and language models; policies on vectors don't need it"),
});

/** The observation in process. */
export interface SpindleFlowObservation {
  /** Shared with the environment's state: never write to it. Absent when `vectorB64` was asked for. */
  readonly vector?: Float32Array;
  readonly vectorB64?: string;
  readonly action_mask: Masks;
  readonly violations: readonly Violation[];
  readonly summary: z.output<typeof observationSchema>["summary"];
}

/** Status of a slot in words. */
function statusOf(state: EpisodeState, slot: number): "empty" | "free" | "delivered" | "failed" {
  if (state.shift.seats[slot] === null) return "empty";
  if (state.run.called[slot] === 0) return "free";
  return state.run.delivered[slot] === 1 ? "delivered" : "failed";
}

/** Makes the observation of a state. */
export function observe(
  index: BankIndex,
  state: EpisodeState,
  violations: readonly Violation[],
): SpindleFlowObservation {
  const { vector, shift, run, masks } = state;
  const { task } = taskText(index, shift.tasks[state.taskIndex]!);
  const summary = {
    task: run.clarified ? task.clarifiedText : task.text,
    task_number: state.taskIndex + 1,
    tasks: shift.tasks.length,
    elapsed_ms: run.elapsedMs,
    measured_quality: run.measured,
    roster: shift.seats.map((seat, slot) => {
      const specialist = seat === null ? null : seatText(index, seat).specialist;
      return { slot, role: specialist?.role ?? "", text: specialist?.text ?? "", status: statusOf(state, slot) };
    }),
  };
  const rest = { action_mask: masks, violations, summary };
  return state.encoding === "base64" ? { vectorB64: toBase64(vector), ...rest } : { vector, ...rest };
}

/** The vector of an observation in either encoding. */
export function vectorOf({
  vector,
  vectorB64,
}: Pick<SpindleFlowObservation, "vector" | "vectorB64">): ArrayLike<number> {
  return vector ?? fromBase64(vectorB64 ?? "");
}

function fromBase64(text: string): Float32Array {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

/** Little-endian float32 bytes in base64. */
function toBase64(vector: Float32Array): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  for (let i = 0; i < vector.length; i++) view.setFloat32(4 * i, vector[i]!, true);
  let text = "";
  for (let at = 0; at < view.byteLength; at += 0x8000)
    text += String.fromCharCode(...new Uint8Array(view.buffer, at, Math.min(0x8000, view.byteLength - at)));
  return btoa(text);
}
