import type { RemoteMetadata, RemoteServer } from "@praxis/env/remote";
import type { ComponentType } from "react";
import type { Beginning, Branch, Turn, WireObject } from "../play/branch.ts";

/** What the page of one environment is drawn from. */
export interface EnvironmentViewProps {
  readonly branch: Branch;
  /** Steps taken when what is shown was seen; 0 is the reset. */
  readonly step: number;
  readonly observation: WireObject;
  readonly info: WireObject;
  /** Paths of the observation that the step changed. */
  readonly changed: ReadonlySet<string>;
  readonly metadata: RemoteMetadata;
  readonly server: RemoteServer;
  readonly beginning: Beginning;
}

/** What the form of an environment's own actions is drawn from. */
export interface ActProps {
  readonly observation: WireObject;
  readonly canAct: boolean;
  onTake(action: WireObject): void;
}

/** What an environment's own comparison is drawn from. */
export interface CompareProps {
  readonly branches: readonly Branch[];
}

/** What is known of an offer beside what the environment says in its observation, by candidate id. */
export interface OfferNote {
  readonly isLegal: boolean;
  readonly reasons: readonly string[];
  /** Short numbers with their names. */
  readonly figures: readonly {
    readonly name: string;
    readonly text: string;
    readonly tone: "good" | "bad" | "plain";
  }[];
}

/** What the workbench knows of one environment by name; every other one is shown by its schemas alone. One folder each. */
export interface EnvironmentModule {
  readonly name: string;
  /** Reset options that the page asks for unless told otherwise. */
  readonly resetDefaults: WireObject;
  /** Example episodes that the reset form offers. */
  readonly presets: readonly { readonly name: string; readonly seed: number; readonly options: WireObject }[];
  /** Pairs of policies worth comparing, the best first; of the first whose both are there. */
  readonly pairs: readonly (readonly [string, string])[];
  /** Policies worth seeing first, the best first. */
  readonly firstPolicies: readonly string[];
  toAction(observation: WireObject, candidate: WireObject): WireObject;
  /** A turn in one line. */
  describe(turn: Turn, before: WireObject): string;
  /** Asks the server about the offers of a step; null where it can't say. */
  noteOffers(
    server: RemoteServer,
    beginning: Beginning,
    actions: readonly WireObject[],
  ): Promise<ReadonlyMap<string, OfferNote> | null>;
  readonly View: ComponentType<EnvironmentViewProps>;
  readonly Reward: ComponentType<EnvironmentViewProps>;
  /** Form of actions where the environment offers no candidates. */
  readonly Act?: ComponentType<ActProps>;
  /** Drawn beside the steps when branches are compared. */
  readonly Compare?: ComponentType<CompareProps>;
}
