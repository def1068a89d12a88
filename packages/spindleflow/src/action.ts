import { type BoxSpace, didYouMean, PraxisError } from "@praxis/env";
import { z } from "zod";
import type { Masks } from "./engine/masks.ts";
import {
  DEFAULT_PARAMETERS,
  type Decision,
  META_ACTIONS,
  type MetaAction,
  MODES,
  type ModeParameters,
} from "./names.ts";

/** Number of mode parameters at the end of the vector. */
const PARAMETER_COUNT = 4;
/** A time budget slot above this sets no limit. */
const NO_LIMIT_ABOVE = 0.9;

/** Length of the action vector for S slots. */
function actionLength(size: number): number {
  return size + 2 + PARAMETER_COUNT;
}

const metaHigh = META_ACTIONS.length - 1;
const modeHigh = MODES.length - 1;

/** Lowest and highest value of each entry of the action vector, by number of slots; made once, as every step reads them. */
const BOUNDS = Array.from({ length: 9 }, (_, size) => {
  const slots = (value: number) => new Array<number>(size).fill(value);
  return { low: [0, ...slots(-1), 0, 0, 0, 0, 0], high: [metaHigh, ...slots(1), modeHigh, 1, 1, 1, 1] };
});

/** The declared space: per-slot bounds, or [−1, 1] throughout with an affine map for Gaussian policies. */
export function actionSpace(size: number, normalized: boolean): BoxSpace {
  const { low, high } = BOUNDS[size]!;
  const shape = [actionLength(size)];
  return normalized ? { kind: "box", shape, low: -1, high: 1 } : { kind: "box", shape, low, high };
}

/** What a policy may tell of its choice, for the audit: not part of the choice. */
const annotationSchema = z.strictObject({
  probability: z.number().min(0).max(1).optional(),
  valueEstimate: z.number().optional(),
});

/** Probability and value estimate of a choice, as its maker states them. */
export type Annotation = z.output<typeof annotationSchema>;

const structuredSchema = z.strictObject({
  meta: z.string().describe(`one of ${META_ACTIONS.join(", ")}`),
  slots: z.array(z.int().min(0).max(7)).max(8).optional().describe("slots in order of execution; a lead comes first"),
  mode: z
    .string()
    .optional()
    .describe(`one of ${MODES.join(", ")}; default sequential`),
  params: z
    .strictObject({
      rounds: z.int().min(1).max(5).optional(),
      threshold: z.number().min(0).max(1).optional(),
      timeBudgetMs: z.number().min(0).nullable().optional(),
      contextEntries: z.int().min(0).max(5).optional(),
    })
    .optional(),
  annotation: annotationSchema.optional(),
});

const vectorSchema = z.strictObject({
  vector: z.array(z.number()).min(7).max(14),
  annotation: annotationSchema.optional(),
});

/** An action as it comes over the wire: structured, or the vector of the action space. */
export const actionSchema = z.union([structuredSchema, vectorSchema]);
/** Structured action. */
export type StructuredAction = z.output<typeof structuredSchema>;
/** Vector action; in process any array of numbers will do. */
export interface VectorAction {
  readonly vector: ArrayLike<number>;
  readonly annotation?: Annotation | undefined;
}
/** What `step` takes. */
export type SpindleFlowAction = StructuredAction | VectorAction;

/** A choice read from an action, before legality. */
export interface Choice {
  readonly meta: MetaAction;
  /** Selection score per slot; selected above 0. */
  readonly scores: readonly number[];
  readonly mode: Decision["mode"];
  readonly parameters: ModeParameters;
  readonly annotation: Annotation | null;
}

function refuse(message: string, field: string): PraxisError {
  return new PraxisError("VALIDATION_ERROR", message, {
    fields: [{ type: "value_error", loc: [field], msg: message }],
  });
}

/** Rounds half up, whatever the sign. */
const round = (x: number): number => Math.floor(x + 0.5);
const clip = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));

function readVector(
  vector: ArrayLike<number>,
  size: number,
  slaMs: number,
  normalized: boolean,
): Omit<Choice, "annotation"> {
  const length = actionLength(size);
  if (vector.length !== length)
    throw refuse(`The action vector must have ${length} numbers for ${size} slots, not ${vector.length}.`, "vector");
  const { low, high } = BOUNDS[size]!;
  const x = new Array<number>(length);
  for (let i = 0; i < length; i++) {
    const value = vector[i];
    if (typeof value !== "number" || Number.isNaN(value))
      throw refuse(`vector[${i}] is ${String(value)}; every entry must be a number.`, "vector");
    const scaled = normalized ? low[i]! + ((clip(value, -1, 1) + 1) / 2) * (high[i]! - low[i]!) : value;
    x[i] = clip(scaled, low[i]!, high[i]!);
  }
  const p = size + 2;
  const time = x[p + 2]!;
  return {
    meta: META_ACTIONS[round(x[0]!)]!,
    scores: x.slice(1, 1 + size),
    mode: MODES[round(x[size + 1]!)]!,
    parameters: {
      rounds: 1 + round(4 * x[p]!),
      threshold: 0.5 + 0.5 * x[p + 1]!,
      timeBudgetMs: time > NO_LIMIT_ABOVE ? null : slaMs * (0.25 + time),
      contextEntries: round(5 * x[p + 3]!),
    },
  };
}

function nameIn<Name extends string>(what: string, given: unknown, names: readonly Name[]): Name {
  const found = names.find((name) => name === given);
  if (found !== undefined) return found;
  throw refuse(
    `Unknown ${what} '${String(given)}'.${didYouMean(String(given), names)} Known: ${names.join(", ")}.`,
    what,
  );
}

function readStructured(action: StructuredAction, size: number): Choice {
  const parsed = structuredSchema.safeParse(action);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw refuse(`Action field '${path.join(".") || "(top level)"}': ${message}.`, String(path[0] ?? "action"));
  }
  const { meta, slots = [], mode = "sequential", params = {}, annotation } = parsed.data;
  const scores = new Array<number>(size).fill(-1);
  slots.forEach((slot, k) => {
    if (slot >= size) throw refuse(`slots[${k}] is ${slot}; slots are 0 to ${size - 1}.`, "slots");
    if (scores[slot]! > 0) throw refuse(`slots[${k}] names slot ${slot} a second time.`, "slots");
    scores[slot] = 1 - k / size;
  });
  return {
    meta: nameIn("meta", meta, META_ACTIONS),
    scores,
    mode: nameIn("mode", mode, MODES),
    parameters: {
      rounds: params.rounds ?? DEFAULT_PARAMETERS.rounds,
      threshold: params.threshold ?? DEFAULT_PARAMETERS.threshold,
      timeBudgetMs: params.timeBudgetMs ?? null,
      contextEntries: params.contextEntries ?? DEFAULT_PARAMETERS.contextEntries,
    },
    annotation: annotation ?? null,
  };
}

/** What reading an action depends on. */
export interface ActionReader {
  readonly size: number;
  readonly slaMs: number;
  readonly normalized: boolean;
}

/** Reads an action of either form. Values outside their bounds are clipped; throws VALIDATION_ERROR for anything else wrong. */
export function readAction(action: SpindleFlowAction, { size, slaMs, normalized }: ActionReader): Choice {
  if (typeof action !== "object" || action === null)
    throw refuse("An action is an object with `meta`, or with `vector`.", "action");
  if (!("vector" in action)) return readStructured(action, size);
  const { vector, annotation } = action;
  if (typeof vector !== "object" || vector === null) throw refuse("vector must be an array of numbers.", "vector");
  return { ...readVector(vector, size, slaMs, normalized), annotation: annotation ?? null };
}

/** Outcome of holding a choice against the masks. `decision` is null when the meta-action is illegal. */
export interface Judged {
  readonly decision: Decision | null;
  readonly violation: { readonly kind: string; readonly message: string } | null;
}

/** Positive scores in descending order, ties by slot. */
function selected(scores: readonly number[]): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < scores.length; slot++) if (scores[slot]! > 0) slots.push(slot);
  return slots.length < 2 ? slots : slots.sort((a, b) => scores[b]! - scores[a]! || a - b);
}

function bestOf(scores: readonly number[], allowed: readonly boolean[]): number {
  let best = -1;
  for (let slot = 0; slot < scores.length; slot++)
    if (allowed[slot] === true && (best < 0 || scores[slot]! > scores[best]!)) best = slot;
  return best;
}

const ILLEGAL: Readonly<Record<MetaAction, string>> = {
  callSpecialist: "every filled slot has been called in this task",
  stop: "in this phase a task can't end before a first call",
  callMediator: "no conflict is unresolved",
  clarifyTask: "the task has been clarified",
  delegateSubtask: "no slot can lead and has somebody to consult",
  retryFailed: "no failure is left that somebody could make good",
  parallelSpawn: "every filled slot has been called in this task",
  spawnSpecialist: "the guards of spawning don't hold",
};

/** Makes a choice legal where the rules allow it: selected slots that are not allowed are dropped, with one violation a step. */
export function judgeChoice(choice: Choice, masks: Masks): Judged {
  const { meta, scores, mode, parameters } = choice;
  if (!masks.meta[META_ACTIONS.indexOf(meta)]!)
    return { decision: null, violation: { kind: "illegalMeta", message: `${meta} is not legal: ${ILLEGAL[meta]}.` } };
  const wanted = selected(scores);
  let slots: number[] = [];
  switch (meta) {
    case "callSpecialist":
    case "parallelSpawn":
      slots = wanted.filter((slot) => masks.slots[slot]);
      if (slots.length === 0) slots = [bestOf(scores, masks.slots)];
      break;
    case "delegateSubtask": {
      const lead = wanted.find((slot) => masks.leads[slot]) ?? bestOf(scores, masks.leads);
      const consult = masks.consult[lead]!;
      const others = wanted.filter((slot) => slot !== lead && consult[slot]);
      slots = [lead, ...(others.length > 0 ? others : [bestOf(scores, consult)])];
      break;
    }
    default:
      return { decision: { meta, slots, mode, parameters }, violation: null };
  }
  const dropped = wanted.filter((slot) => !slots.includes(slot));
  return {
    decision: { meta, slots, mode, parameters },
    violation:
      dropped.length === 0
        ? null
        : {
            kind: "illegalSlot",
            message: `Slots ${dropped.join(", ")} are empty, were called before or can't be consulted; they were left out.`,
          },
  };
}

/** The action vector of a decision: exact indices, scores that keep set and order, parameters in their bins. */
export function encodeDecision(decision: Decision, size: number, slaMs: number): Float32Array {
  const vector = new Float32Array(actionLength(size)).fill(-1, 1, 1 + size);
  vector[0] = META_ACTIONS.indexOf(decision.meta);
  decision.slots.forEach((slot, k) => {
    vector[1 + slot] = 1 - k / size;
  });
  const p = size + 2;
  const { rounds, threshold, timeBudgetMs, contextEntries } = decision.parameters;
  vector[size + 1] = MODES.indexOf(decision.mode);
  vector[p] = (rounds - 1) / 4;
  vector[p + 1] = clip((threshold - 0.5) / 0.5, 0, 1);
  vector[p + 2] = timeBudgetMs === null ? 1 : clip(timeBudgetMs / slaMs - 0.25, 0, NO_LIMIT_ABOVE);
  vector[p + 3] = contextEntries / 5;
  return vector;
}
