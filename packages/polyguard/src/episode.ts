import type { LegalityContext } from "./actions/legality-context.ts";
import type { CourseContext } from "./course/context.ts";
import type { Segment } from "./course/visit.ts";
import type { Known, Memory, OfferedCandidates } from "./observation/types.ts";
import type { CheatFlag } from "./reward/anti-cheat.ts";
import type { StateAssessment } from "./reward/assessment.ts";
import type { EndingCounters } from "./reward/endings.ts";
import type { GateName } from "./reward/gates.ts";
import type { LedgerEntry } from "./reward/ledger.ts";
import type { Channels, Components } from "./reward/settings.ts";
import type { ReturnStep } from "./reward/training-return.ts";
import type { EpisodeCredit } from "./reward/value-components.ts";
import type { WorldState } from "./world/types.ts";

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
export interface EpisodeState {
  readonly context: CourseContext;
  readonly episodeId: string;
  readonly exposesLegality: boolean;
  /** The last step tells the task score. */
  readonly scoresTask: boolean;
  readonly warnings: readonly string[];
  readonly world: WorldState;
  readonly memory: Memory;
  readonly known: Known;
  readonly legality: LegalityContext;
  readonly nonce: string;
  readonly offered: OfferedCandidates;
  readonly assessment: StateAssessment;
  readonly credit: EpisodeCredit;
  readonly ledger: readonly LedgerEntry[];
  readonly counters: EndingCounters;
  /** Ids that any observation of the episode showed. */
  readonly shownIds: ReadonlySet<string>;
  readonly segments: readonly Segment[];
  readonly records: readonly StepRecord[];
  readonly harmAtReset: number;
  /** Actions with the nonce or episode of another step so far. */
  readonly staleActions: number;
  readonly hadIllegalAction: boolean;
  readonly hasSevereEvent: boolean;
  /** Changes that answered only false or managed alerts. */
  readonly uselessChanges: number;
}
