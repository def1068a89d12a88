import type { StepAction } from "../actions/schema.ts";
import type { Chart } from "../policies/chart.ts";
import { freeActionText } from "../render-blocks.ts";
import { criticise } from "./critic.ts";
import { readGraph } from "./graph-safety.ts";
import { reconcileList } from "./med-rec.ts";
import { route } from "./supervisor.ts";
import type { Utterance } from "./transcript.ts";

/** What the team says where one specialist of the matter proposes. */
export function specialistTalk(chart: Chart, title: string, action: StepAction): readonly Utterance[] {
  const { observation } = chart;
  const { step } = observation;
  const utterances: Utterance[] = [];
  const say = (role: Utterance["role"], message: string, more: Partial<Utterance> = {}): void => {
    utterances.push({ step, role, message, ...more });
  };
  const list = reconcileList(chart);
  const graph = list.items.length > 0 ? readGraph(chart) : null;
  if (graph !== null) {
    say("med_rec", `${list.items.length} items, ${list.issues.length} to settle.`, {
      evidenceIds: list.issues.map(({ id }) => id),
    });
    const open = graph.hits.filter(({ harm }) => harm > 0);
    say("graph_safety", open.length === 0 ? "No interaction is open." : `${open.length} open: ${open[0]!.text}.`);
  }
  const { route: to, reason } = route({
    subEnvironment: observation.sub_environment,
    graph,
    evidence: null,
    doses: null,
    candidates: [],
    rules: null,
  });
  say("supervisor", `To ${to}: ${reason}`);
  if (!("action_type" in action)) {
    say("planner", `${title} has nothing to propose.`);
    return utterances;
  }
  const offer = chart.offers.find(({ wire }) => wire.candidate_id === action.candidate_id);
  say(
    to === "bandit" ? "bandit" : "planner",
    `${title} proposes: ${freeActionText(action) ?? offer?.wire.text ?? action.action_type}.`,
  );
  if (offer !== undefined) {
    const { isVeto, reasons, evidenceIds } = criticise(chart, offer, true);
    const words = reasons.length === 0 ? "No objection." : `${isVeto ? "It is noted that " : ""}${reasons.join("; ")}.`;
    say("critic", words, { evidenceIds });
  }
  say("explainer", action.rationale, { evidenceIds: action.evidence_ids });
  return utterances;
}
