import type { Rng } from "@praxis/env";
import type { FindingsScore } from "./findings.ts";
import type { MiningInstance } from "./instance.ts";
import { meanRisk } from "./risk.ts";

/** A probe with its outcome. */
export interface Probe {
  /** drug_ids, ascending. */
  readonly combination: readonly string[];
  /** Observed relative risk, three decimals. */
  readonly rr: number;
}

/** What two probes of one combination share: its ids joined with `+`. */
export function combinationKey(combination: readonly string[]): string {
  return [...combination].sort().join("+");
}

/** The part of an episode that mining alone has. Immutable; probes are in the order they were made. */
export interface MiningState {
  readonly probes: readonly Probe[];
  /** {@link combinationKey} of each probe, in the same order. */
  readonly keys: readonly string[];
  /** What was declared, with its score; null until then. */
  readonly declared: FindingsScore | null;
  readonly showsPopulation: boolean;
}

/** State at reset. */
export function beginMining(showsPopulation: boolean): MiningState {
  return { probes: [], keys: [], declared: null, showsPopulation };
}

/** Probes that may still be made. */
export function probesLeft({ tier }: MiningInstance, { probes }: MiningState): number {
  return tier.probes - probes.length;
}

/** Positions of a combination's drugs, ascending. Ids of the instance's list only. */
export function positionsOf({ drugIds }: MiningInstance, combination: readonly string[]): number[] {
  return combination.map((id) => drugIds.indexOf(id)).sort((a, b) => a - b);
}

/** The state after a batch of probes, each with its own noise. */
export function probeAll(
  instance: MiningInstance,
  state: MiningState,
  combinations: readonly (readonly string[])[],
  rng: Rng,
): MiningState {
  const probes = combinations.map((combination): Probe => {
    const sorted = [...combination].sort();
    const observed = meanRisk(instance, positionsOf(instance, sorted)) + rng.normal(0, instance.tier.noise);
    return { combination: sorted, rr: Math.round(observed * 1000) / 1000 };
  });
  return { ...state, probes: [...state.probes, ...probes], keys: [...state.keys, ...combinations.map(combinationKey)] };
}

/** A task as an oracle or a test reads it from the latent state. */
export interface LatentMining {
  readonly content: MiningInstance;
  readonly special: MiningState;
}

/** True when content and state of an episode are those of a mining task. */
export function isMining(episode: { readonly content: unknown; readonly special: unknown }): episode is LatentMining {
  const { content } = episode;
  return typeof content === "object" && content !== null && "drugIds" in content && "patterns" in content;
}
