import type { Rng } from "@praxis/env";
import type { StepAction } from "../actions/schema.ts";
import { isInformationAction } from "../actions/types.ts";
import { DEFAULT_TEAM, type TeamOptions } from "../agents/options.ts";
import { TEAM_PLAYS } from "../agents/plays.ts";
import { answerByModel, type ModelRole, type RoleModel } from "../agents/role-model.ts";
import { specialistTalk } from "../agents/specialist.ts";
import { type StepOutcome, type StepRequest, teamStep } from "../agents/team-step.ts";
import type { Utterance } from "../agents/transcript.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import type { SubEnvironment } from "../scenario/types.ts";
import { type Belief, BeliefTracker } from "./belief/belief.ts";
import { type Chart, ChartReader } from "./chart.ts";
import { encodedArmScores } from "./contextual-bandit/offer-scores.ts";
import { actionOf } from "./explain.ts";
import type { PolyGuardPolicy } from "./own-play.ts";
import { decideByRules } from "./rule-based.ts";

/** Who plays, and how. */
export interface PlannerCriticSetup {
  readonly kb: KnowledgeBase;
  readonly options?: Partial<TeamOptions>;
  /** Roles that a language model plays; it must answer in time, or code does. */
  readonly model?: { readonly roles: readonly ModelRole[]; readonly ask: RoleModel };
}

/** The team as a policy that also tells what its roles said. */
export interface PlannerCriticPolicy extends PolyGuardPolicy {
  /** What was said at the last step. */
  readonly transcript: () => readonly Utterance[];
}

/** True for a policy that tells what its roles said. */
export function hasTranscript(policy: { readonly name: string }): policy is PlannerCriticPolicy {
  return "transcript" in policy;
}

/** Where one specialist proposes there is no role to hand to a model. */
const MODEL_NOT_ASKED = {
  role: "planner",
  message: "The language model is not asked in this sub-environment: its specialist plays.",
} as const;

/** Mode, ablations and planning belong to the roles. */
const OPTIONS_IDLE = {
  role: "supervisor",
  message: "The mode and the parts left out change nothing in this sub-environment: its specialist plays.",
} as const;

/**
 * Planner and critic: the rules of the sub-environment, looked at again by the expected course on a belief, and checked before
 * they are done. On the observation and the tables alone.
 */
export function makePlannerCriticPolicy({ kb, options = {}, model }: PlannerCriticSetup): PlannerCriticPolicy {
  const team: TeamOptions = { ...DEFAULT_TEAM, ...options };
  const isPlain =
    team.mode === DEFAULT_TEAM.mode && team.without.length === 0 && team.planning === DEFAULT_TEAM.planning;
  const specialists = new Map<SubEnvironment, PolyGuardPolicy>();
  let reader = new ChartReader(kb);
  let tracker = new BeliefTracker(kb);
  let rng: Rng | null = null;
  let said: readonly Utterance[] = [];
  return {
    name: "planner_critic",
    transcript: () => said,
    findings: () => specialists.get("BANDIT_MINING")?.findings?.() ?? null,
    reset: (episodeRng) => {
      reader = new ChartReader(kb);
      tracker = new BeliefTracker(kb);
      rng = episodeRng;
      said = [];
      specialists.clear();
    },
    act: (observation, info) => {
      const chart = reader.read(observation);
      const play = TEAM_PLAYS[observation.sub_environment];
      if (play.kind === "course") return actOnCourse(chart, play.rules, play.isPlanned);
      let specialist = specialists.get(observation.sub_environment);
      if (specialist === undefined) {
        specialist = play.make(kb);
        if (rng !== null) specialist.reset(rng);
        specialists.set(observation.sub_environment, specialist);
      }
      const action = specialist.act(observation, info);
      if (action instanceof Promise) return action;
      const talk = specialistTalk(chart, play.title, action);
      const notes = [...(model === undefined ? [] : [MODEL_NOT_ASKED]), ...(isPlain ? [] : [OPTIONS_IDLE])];
      said = [...notes.map((note): Utterance => ({ ...note, step: observation.step })), ...talk];
      return action;
    },
  };

  function actOnCourse(
    chart: Chart,
    rules: Parameters<typeof decideByRules>[1],
    isPlanned: boolean,
  ): StepAction | Promise<StepAction> {
    const belief = isPlanned ? tracker.see(chart) : null;
    const quiet = rules.map((rule): (typeof rules)[number] => (seen) => {
      const decision = rule(seen);
      return decision === null || isInformationAction(decision.offer.payload.type) ? null : decision;
    });
    const request: StepRequest = {
      chart,
      options: team,
      rules: decideByRules(chart, rules),
      rulesWithoutAsking: () => decideByRules(chart, quiet),
      belief,
      banditScores: team.planning === "policy" ? null : () => encodedArmScores(chart),
    };
    const steps = teamStep(request);
    if (model === undefined) {
      let turn = steps.next();
      while (turn.done !== true) turn = steps.next(null);
      return finish(chart, belief, turn.value);
    }
    return answerByModel(steps, chart, model).then((outcome) => finish(chart, belief, outcome));
  }

  function finish(chart: Chart, belief: Belief | null, { decision, utterances }: StepOutcome): StepAction {
    said = utterances;
    if (decision === null) return { raw: "" };
    if (belief !== null) tracker.choose(belief, decision.offer.payload);
    reader.choose(chart, decision.offer.payload);
    return actionOf(chart, decision);
  }
}
