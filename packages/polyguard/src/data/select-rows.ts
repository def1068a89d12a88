import { Rng } from "@praxis/env";
import { type DecisionRecord, isAbstention } from "./play-unit.ts";
import {
  type DataKind,
  mistakeFor,
  type PreferenceRow,
  preferenceRow,
  SFT_SOURCES,
  type SftRow,
  type SftSource,
  sftRow,
  type TraceRow,
  traceRow,
} from "./rows.ts";

/** Shares of the sources among fine-tuning rows. */
const MIX: Readonly<Record<SftSource, number>> = {
  oracle_known: 0.7,
  planner_critic: 0.15,
  correction: 0.1,
  abstention: 0.05,
};
/** Largest share of rows that keep the list as it is. */
const MOST_KEEPS = 0.2;
/**
 * Largest share of one sub-environment in a set, an eighth and a third of that: some give many rows an episode, others few, and
 * a set is to show all of them.
 */
const MOST_OF_ONE = 1 / 6;
/** Choices closer than this teach nothing. */
const LEAST_GAP = 0.001;
/** How often a decision with a mistake to show is told as a correction, while rows of that kind are wanted. */
const CORRECTION_SHARE = 0.25;

/** Why a decision was left out. */
export type DropReason =
  | "held_out"
  | "same_observation"
  | "small_gap"
  | "illegal_choice"
  | "too_many_keeps"
  | "source_full"
  | "sub_environment_full";

/** Rows that were taken from an episode. */
export interface SelectedRows {
  readonly sft: readonly SftRow[];
  readonly preference: readonly PreferenceRow[];
  readonly traces: readonly TraceRow[];
}

/** Rows of each source in a set of `rows`; they add up, the largest takes what rounding leaves. */
export function sourceQuotas(rows: number): Readonly<Record<SftSource, number>> {
  const planner = Math.round(rows * MIX.planner_critic);
  const correction = Math.round(rows * MIX.correction);
  const abstention = Math.round(rows * MIX.abstention);
  return { oracle_known: rows - planner - correction - abstention, planner_critic: planner, correction, abstention };
}

/**
 * Takes decisions in the order of their units until every wanted set is full: no observation twice, no held-out content, no
 * toss-ups, few KEEPs, sources by their shares. What is taken depends on the order of units alone.
 */
export class RowSelection {
  readonly drops: Record<DropReason, number>;
  readonly #rows: number;
  readonly #kinds: ReadonlySet<DataKind>;
  readonly #quotas: Record<SftSource, number>;
  readonly #counts: Record<DataKind, number> = { sft: 0, preference: 0, traces: 0 };
  /** Rows of each kind by sub-environment, `sft/DDI` say. */
  readonly #bySub = new Map<string, number>();
  readonly #seen = new Set<string>();
  readonly #rng: Rng;
  #keeps = 0;

  constructor(options: { readonly rows: number; readonly kinds: readonly DataKind[]; readonly dataSeed: number }) {
    this.#rows = options.rows;
    this.#kinds = new Set(options.kinds);
    this.#quotas = { ...sourceQuotas(options.rows) };
    this.#rng = Rng.fromSeed(options.dataSeed, "data/selection");
    this.drops = {
      ...{ held_out: 0, same_observation: 0, small_gap: 0, illegal_choice: 0, too_many_keeps: 0, source_full: 0 },
      sub_environment_full: 0,
    };
  }

  /** Rows of the set that is furthest from full. */
  get count(): number {
    return Math.min(...[...this.#kinds].map((kind) => this.#counts[kind]));
  }

  /** Fine-tuning rows that each source still lacks. */
  get lacking(): Readonly<Record<SftSource, number>> {
    return this.#kinds.has("sft") ? this.#quotas : { oracle_known: 0, planner_critic: 0, correction: 0, abstention: 0 };
  }

  get isFull(): boolean {
    return this.count >= this.#rows;
  }

  /** Takes what is wanted of an episode. Mutates the selection. */
  take(records: readonly DecisionRecord[]): SelectedRows {
    const sft: SftRow[] = [];
    const preference: PreferenceRow[] = [];
    const traces: TraceRow[] = [];
    for (const record of records) {
      if (record.holdouts.length > 0) {
        this.drops.held_out++;
        continue;
      }
      // One stream per decision, so that what one kind draws moves nothing in another.
      const rng = this.#rng.split(`${record.scenarioId}/${record.policy}/${record.step}`);
      if (this.#wants("traces", record)) {
        traces.push(traceRow(record));
        this.#count("traces", record);
      }
      if (this.#seen.has(record.observationHash)) {
        this.drops.same_observation++;
        continue;
      }
      this.#seen.add(record.observationHash);
      if (record.gap < LEAST_GAP) {
        this.drops.small_gap++;
        continue;
      }
      if (this.#wants("preference", record)) {
        const row = preferenceRow(record, rng.split("group"));
        if (row !== null) {
          preference.push(row);
          this.#count("preference", record);
        }
      }
      if (this.#wants("sft", record)) {
        const row = this.#takeSft(record, rng.split("mistake"));
        if (row !== null) {
          sft.push(row);
          this.#count("sft", record);
        }
      }
    }
    return { sft, preference, traces };
  }

  #wants(kind: DataKind, { subEnvironment }: DecisionRecord): boolean {
    if (!this.#kinds.has(kind) || this.#counts[kind] >= this.#rows) return false;
    if ((this.#bySub.get(`${kind}/${subEnvironment}`) ?? 0) < Math.ceil(MOST_OF_ONE * this.#rows)) return true;
    this.drops.sub_environment_full++;
    return false;
  }

  #count(kind: DataKind, { subEnvironment }: DecisionRecord): void {
    const key = `${kind}/${subEnvironment}`;
    this.#counts[kind]++;
    this.#bySub.set(key, (this.#bySub.get(key) ?? 0) + 1);
  }

  #takeSft(record: DecisionRecord, rng: Rng): SftRow | null {
    const type = record.chosen.action.action_type;
    if (!record.chosen.isLegal) return this.#drop("illegal_choice");
    const isKeep = type === "KEEP_REGIMEN";
    if (isKeep && this.#keeps + 1 > MOST_KEEPS * (this.#counts.sft + 1)) return this.#drop("too_many_keeps");
    const mistake = this.#quotas.correction > 0 && rng.bernoulli(CORRECTION_SHARE) ? mistakeFor(record, rng) : null;
    const wanted: readonly SftSource[] = [
      ...(record.needsAbstention && isAbstention(type) ? (["abstention"] as const) : []),
      ...(mistake === null ? [] : (["correction"] as const)),
      record.teacher,
    ];
    const source = wanted.find((each) => this.#quotas[each] > 0);
    if (source === undefined) return this.#drop("source_full");
    this.#quotas[source]--;
    if (isKeep) this.#keeps++;
    return sftRow(record, source, source === "correction" ? mistake : null);
  }

  #drop(reason: DropReason): null {
    this.drops[reason]++;
    return null;
  }
}

/** Sources that a finished set lacks rows of, in words; empty = none. */
export function shortages(lacking: Readonly<Record<SftSource, number>>): readonly string[] {
  return SFT_SOURCES.filter((source) => lacking[source] > 0).map(
    (source) => `${source}: ${lacking[source]} rows short`,
  );
}
