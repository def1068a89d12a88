import type { Info } from "@praxis/env";
import type { Observation } from "./observation/schema.ts";
import { DANGEROUS_ABOVE } from "./sub-environments/bandit-mining/tiers.ts";

/** Steps of probing that are told together. */
const FOLDED_STEPS = 25;
/** Combinations of a fold that are written out. */
const MOST_NAMED = 3;

interface Probe {
  readonly combination: readonly string[];
  readonly rr: number;
}

/** Tells steps that only probe combinations together: mining takes hundreds of them. */
export class ProbeFold {
  #from = 0;
  #rewards: number[] = [];
  #probes: Probe[] = [];
  #left = 0;

  /** Takes a step that was carried out, refused nothing and only probed; false for any other. */
  take(
    action: { readonly action_type?: string | undefined },
    { before, after, reward, info }: { before: Observation; after: Observation; reward: number; info: Info },
  ): boolean {
    const known = before.bandit?.probes.length ?? 0;
    const probes = (after.bandit?.probes ?? []).slice(known);
    const isPlain =
      (info.violations ?? []).length === 0 && (Array.isArray(info.flags) ? info.flags.length === 0 : true);
    if (action.action_type !== "PROBE_COMBINATION" || probes.length === 0 || !isPlain) return false;
    if (this.#rewards.length === 0) this.#from = before.step;
    this.#rewards.push(reward);
    this.#probes.push(...probes);
    this.#left = after.bandit?.probes_left ?? 0;
    return true;
  }

  get isFull(): boolean {
    return this.#rewards.length >= FOLDED_STEPS;
  }

  /** Lines about the steps taken since the last call; none without any. */
  flush(): string[] {
    const count = this.#rewards.length;
    if (count === 0) return [];
    const to = this.#from + count - 1;
    const above = this.#probes.filter(({ rr }) => rr > DANGEROUS_ABOVE);
    const highest = [...above].sort((x, y) => y.rr - x.rr).slice(0, MOST_NAMED);
    const mean = this.#rewards.reduce((sum, each) => sum + each, 0) / count;
    const lines = [
      `Step${count === 1 ? ` ${to}` : `s ${this.#from}-${to}`}: ${this.#probes.length} combinations probed, ${above.length} above a relative risk of ${DANGEROUS_ABOVE}; ${this.#left} probes left`,
      ...highest.map(
        ({ combination, rr }) =>
          `  Told       ${combination.map(drugWords).join(" + ")}: relative risk ${rr.toFixed(2)}`,
      ),
      `  Reward     mean ${mean.toFixed(3)}`,
    ];
    this.#rewards = [];
    this.#probes = [];
    return lines;
  }
}

const drugWords = (id: string): string => id.replaceAll("_", " ");
