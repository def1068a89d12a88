import type { Rng } from "@praxis/env";
import type { LegalityContext, MappedMedication } from "../../actions/legality-context.ts";
import { drugsFor, substitution } from "../../actions/replacements.ts";
import type { ActionPayload } from "../../actions/types.ts";
import { drugAt } from "../../kb/lookup.ts";
import type { Drug, KnowledgeBase } from "../../kb/types.ts";
import type { Difficulty } from "../../scenario/types.ts";

/** One way to go on without the drug that must go. */
export type Option =
  | { readonly kind: "drug"; readonly drugIndex: number }
  /** A treatment that is no drug. */
  | { readonly kind: "order"; readonly code: "CBT_I" | "COUNSELLING" }
  | { readonly kind: "nothing" };

/** What an episode of this sub-environment is about. */
export interface Replacement {
  /** The medication that must go. */
  readonly medRef: string;
  readonly drugIndex: number;
  /** Why, in words. */
  readonly reason: string;
  /** 6-12 of them, shuffled. */
  readonly options: readonly Option[];
}

/** Options by tier. assumption: sizes within the 6-12 of the task. */
const COUNTS: Readonly<Record<Difficulty, readonly [low: number, high: number]>> = {
  easy: [6, 8],
  medium: [8, 10],
  hard: [10, 12],
};

/** Conditions that cognitive behavioural therapy helps. Sources: NICE NG222, CG113; ESRS 2023. */
const CBT_CONDITIONS = ["INSOMNIA", "ANXIETY", "DEPRESSION"];

/** Most options from the class of the drug that must go: the others must have room (assumption:). */
const SAME_CLASS = 4;

/** What the options are drawn for. */
export interface OptionRequest {
  readonly drug: Drug;
  /** Condition it is taken for; null = none that is active. */
  readonly indication: string | null;
  readonly difficulty: Difficulty;
  readonly listed: ReadonlySet<number>;
  readonly allowed: (drug: Drug) => boolean;
}

/**
 * Draws the options: drugs of the same class, drugs of other classes for the same condition, one treatment that is no drug,
 * and nothing; null when there are fewer than six.
 */
export function drawOptions(kb: KnowledgeBase, rng: Rng, request: OptionRequest): readonly Option[] | null {
  const { drug, difficulty, listed, allowed } = request;
  const [low, high] = COUNTS[difficulty];
  const conditions = request.indication === null ? drug.indications : [request.indication];
  const isFree = (other: Drug): boolean => other.index !== drug.index && !listed.has(other.index) && allowed(other);
  const treating = [...new Set(conditions.flatMap((code) => drugsFor(kb, code)))]
    .map((index) => drugAt(kb, index))
    .filter(isFree);
  const same = rng.shuffled(treating.filter((other) => other.groups[0] === drug.groups[0])).slice(0, SAME_CLASS);
  const others = rng.shuffled(treating.filter((other) => other.groups[0] !== drug.groups[0]));
  const code = conditions.some((each) => CBT_CONDITIONS.includes(each)) ? "CBT_I" : "COUNSELLING";
  const room = rng.integer(low, high) - 2;
  const drugs = [...same, ...others].slice(0, Math.max(room, 0));
  // The first-choice drug is always among them, so that a good answer exists.
  const first = treating[0];
  if (first !== undefined && !drugs.includes(first)) drugs[drugs.length - 1] = first;
  const options: Option[] = [
    ...drugs.map((each): Option => ({ kind: "drug", drugIndex: each.index })),
    { kind: "order", code },
    { kind: "nothing" },
  ];
  return options.length < LEAST ? null : rng.shuffled(options);
}

const LEAST = 6;

/** Text of an option that stays the same from step to step. */
export function optionKey(kb: KnowledgeBase, option: Option): string {
  switch (option.kind) {
    case "drug":
      return drugAt(kb, option.drugIndex).drugId;
    case "order":
      return option.code;
    case "nothing":
      return "nothing";
  }
}

/** The candidate that stands for an option: a swap, an order for the drug's complaint, or a plain stop. */
export function optionPayload(context: LegalityContext, target: MappedMedication, option: Option): ActionPayload {
  const { medRef } = target;
  switch (option.kind) {
    case "drug":
      return substitution(context, target, drugAt(context.kb, option.drugIndex));
    case "order":
      return { type: "ORDER_MONITORING", medRef, orders: [option.code] };
    case "nothing":
      return { type: "STOP_DRUG", medRef, switchToDrugIndex: null, orders: [] };
  }
}

/** Number of the option that a candidate stands for, or -1. */
export function optionOf({ medRef, options }: Replacement, payload: ActionPayload): number {
  if (!("medRef" in payload) || payload.medRef !== medRef) return -1;
  return options.findIndex((option) => standsFor(payload, option));
}

function standsFor(payload: ActionPayload, option: Option): boolean {
  switch (option.kind) {
    case "drug":
      return payload.type === "SUBSTITUTE_DRUG" && payload.drugIndex === option.drugIndex;
    case "order":
      return payload.type === "ORDER_MONITORING" && payload.orders[0] === option.code;
    case "nothing":
      return payload.type === "STOP_DRUG" && payload.switchToDrugIndex === null;
  }
}

/** True for the content of an episode of this sub-environment. */
export function isReplacement(content: unknown): content is Replacement {
  return typeof content === "object" && content !== null && "medRef" in content && "options" in content;
}
