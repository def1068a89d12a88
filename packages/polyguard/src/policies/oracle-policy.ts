import type { Policy, SyncEnv } from "@praxis/env";
import { canonicalPayload } from "../actions/canonical.ts";
import { isLegalPayload } from "../actions/legality.ts";
import type { StepAction } from "../actions/schema.ts";
import type { ActionPayload, OfferedCandidate } from "../actions/types.ts";
import type { EpisodeState } from "../episode.ts";
import type { Observation } from "../observation/schema.ts";
import { isDangerVisible } from "../reward/assessment.ts";
import type { Scenario } from "../scenario/types.ts";
import { ChartReader } from "./chart.ts";
import { actionOf } from "./explain.ts";
import { askAnything, hasKeptEnough } from "./finish-rule.ts";
import { latentEpisode } from "./latent-episode.ts";
import type { OraclePlanner } from "./oracle-planners.ts";
import { KEEP } from "./plan-node.ts";
import { PlanningModel, reconcileAll } from "./planning-model.ts";

/** Oracles see the state; what they state is near certainty. */
const CONFIDENCE = 0.95;

/**
 * An oracle as a policy: plans on the latent state of the environment it plays in and takes, of the offered legal
 * candidates, what the plan asks for. Where the plan's next action is not open to an agent yet, what hides it is asked for
 * first while steps can be spared, and else the best of what is offered is taken.
 */
export function makeOraclePolicy(
  name: string,
  env: SyncEnv,
  makePlanner: () => OraclePlanner,
): Policy<StepAction, Observation> {
  let planner = makePlanner();
  let reader: ChartReader | null = null;
  let model: PlanningModel | null = null;
  let scenario: Scenario | null = null;
  return {
    name,
    reset: () => {
      planner = makePlanner();
      reader = null;
    },
    act: (observation) => {
      const episode = latentEpisode(env);
      const { kb } = episode.context;
      if (model === null || scenario !== episode.context.scenario) {
        scenario = episode.context.scenario;
        model = new PlanningModel(kb, scenario);
      }
      reader ??= new ChartReader(kb);
      const chart = reader.read(observation);
      const chosen = choose(model, planner, episode);
      // Waiting beside an open danger is ended as an exploit; a plan that waits asks something in between.
      const asked =
        chosen?.payload.type === "KEEP_REGIMEN" && isDangerVisible(chart.legality) && hasKeptEnough(chart)
          ? (askAnything(chart)?.offer ?? null)
          : null;
      const candidate = episode.offered.find(({ id }) => id === asked?.wire.candidate_id) ?? chosen;
      if (candidate === null) return { raw: "" };
      reader.choose(chart, candidate.payload);
      const wire = observation.candidates.find(({ candidate_id: id }) => id === candidate.id);
      if (wire === undefined) return { raw: "" };
      const reason = `${candidate.wire.text}: the best course found from here.`;
      return actionOf(chart, {
        offer: { wire, payload: candidate.payload, isLegal: true },
        reason,
        confidence: CONFIDENCE,
      });
    },
  };
}

function choose(model: PlanningModel, planner: OraclePlanner, episode: EpisodeState): OfferedCandidate | null {
  const legal = episode.offered.filter(({ payload }) => isLegalPayload(episode.legality, payload));
  const find = (payload: ActionPayload): OfferedCandidate | undefined => {
    const canonical = canonicalPayload(payload);
    return legal.find((each) => each.canonical === canonical);
  };
  const wanted = planner.plan(model, reconcileAll(episode.world), null);
  const direct = find(wanted);
  if (direct !== undefined) return direct;
  const asked = informationFor(episode, legal);
  if (asked !== null) return asked;
  const offered = legal.map(({ payload }) => payload).filter(isTherapyOrOrder);
  return find(planner.plan(model, episode.world, offered)) ?? find(KEEP) ?? legal[0] ?? null;
}

/** A request for what the record hides, if a step can be spared for it and it was not made before. */
function informationFor(episode: EpisodeState, legal: readonly OfferedCandidate[]): OfferedCandidate | null {
  const { clock } = episode.world;
  if (clock.stepsLeft <= clock.visitsLeft) return null;
  const isNew = ({ canonical }: OfferedCandidate): boolean =>
    !episode.memory.history.some((entry) => entry.canonical === canonical);
  const requests = legal.filter((each) => each.source === "missing" && isNew(each));
  return (
    requests.find(({ payload }) => payload.type === "RECONCILE_ITEM") ??
    requests.find(({ payload }) => payload.type === "ORDER_MONITORING") ??
    null
  );
}

function isTherapyOrOrder({ type }: ActionPayload): boolean {
  switch (type) {
    case "FINISH":
    case "KEEP_REGIMEN":
    case "REQUEST_REVIEW":
    case "FETCH_EXTERNAL_EVIDENCE":
    case "RECONCILE_ITEM":
      return false;
    default:
      return true;
  }
}
