import type { Engines } from "./facing.ts";
import type { CheatFlag } from "./reward/anti-cheat.ts";
import type { EndingCounters } from "./reward/endings.ts";
import type { GateName } from "./reward/gates.ts";
import type { LedgerEntry } from "./reward/ledger.ts";
import type { Channels, Components } from "./reward/settings.ts";
import type { ReturnStep } from "./reward/training-return.ts";
import type { EpisodeCredit } from "./reward/value-components.ts";
import type { Decision, Finished, SubEnvironment } from "./sub-environments/sub-environment.ts";

/** What `explain_reward` tells of a past step. */
export interface StepRecord extends ReturnStep {
  readonly step: number;
  /** Reward without the credit of c4-c6, for a step whose credit is voided later. */
  readonly voidedReward: number;
  readonly components: Components;
  readonly channels: Channels;
  readonly gates: readonly GateName[];
  readonly flags: readonly CheatFlag[];
}

/** The whole state of an episode: an immutable value, latent parts included. */
export interface EpisodeState extends Decision, Finished {
  readonly sub: SubEnvironment;
  readonly engines: Engines;
  readonly episodeId: string;
  readonly exposesLegality: boolean;
  /** The reset asked for the task score, or forbade it; null = neither. */
  readonly scoresTask: boolean | null;
  readonly warnings: readonly string[];
  readonly nonce: string;
  readonly credit: EpisodeCredit;
  readonly ledger: readonly LedgerEntry[];
  readonly counters: EndingCounters;
  /** Ids that any observation of the episode showed. */
  readonly shownIds: ReadonlySet<string>;
  readonly records: readonly StepRecord[];
  readonly harmAtReset: number;
  /** Actions with the nonce or episode of another step so far. */
  readonly staleActions: number;
}
