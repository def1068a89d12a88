import { type EnvService, PraxisError } from "@praxis/env";
import { CourseEvaluator } from "../course/evaluator.ts";
import { NOTICE } from "../definition.ts";
import { parseFhirJson } from "../fhir/json-text.ts";
import type { KnowledgeBase } from "../kb/types.ts";
import { KnownBuilder } from "../observation/known.ts";
import { type AdviceTools, advise } from "./advise.ts";
import { cardsOf } from "./cards.ts";
import { type CardFeedback, readFeedback } from "./feedback.ts";
import { HOOKS, type Hook, PREFETCH, readCdsRequest } from "./request.ts";

/** What the services are told. */
export interface CdsOptions {
  /** Day of a request, ISO 8601 date; null = the newest date in the record that was sent. */
  readonly today: () => string | null;
  /** Takes what users did with cards; what it gets holds no part of a record. */
  readonly onFeedback: (feedback: CardFeedback) => void;
}

const DESCRIPTIONS: Readonly<Record<Hook, readonly [title: string, description: string]>> = {
  "patient-view": ["Medication review", "Interactions, doses and duplicates of the current medications."],
  "order-select": ["Check of selected orders", "What the selected medication orders do beside the current list."],
  "order-sign": [
    "Check before signing",
    "What the medication orders that are about to be signed do beside the current list.",
  ],
};

/** CDS Hooks 2.0 under the environment's prefix: discovery, one service a hook, and its feedback. */
export function cdsServices(kb: KnowledgeBase, options: CdsOptions): readonly EnvService[] {
  const tools: AdviceTools = {
    kb,
    known: new KnownBuilder(kb),
    evaluator: new CourseEvaluator(kb),
  };
  const discovery: EnvService = {
    method: "GET",
    path: "/cds-services",
    description: "CDS Hooks 2.0: the services offered.",
    call: () => ({
      services: HOOKS.map((hook) => ({
        hook,
        id: serviceId(hook),
        title: `PolyGuard: ${DESCRIPTIONS[hook][0]}`,
        description: `${DESCRIPTIONS[hook][1]} ${NOTICE}`,
        prefetch: PREFETCH,
        usageRequirements: "All data comes as prefetch; no FHIR server is called.",
      })),
    }),
  };
  return [discovery, ...HOOKS.flatMap((hook) => hookServices(tools, hook, options))];
}

function serviceId(hook: Hook): string {
  return `polyguard-${hook}`;
}

function hookServices(tools: AdviceTools, hook: Hook, { today, onFeedback }: CdsOptions): readonly EnvService[] {
  const path = `/cds-services/${serviceId(hook)}`;
  return [
    {
      method: "POST",
      path,
      description: `CDS Hooks 2.0, ${hook}: ${DESCRIPTIONS[hook][1]}`,
      call(body) {
        const request = readCdsRequest(hook, parseFhirJson(body));
        const asOf = today() ?? request.newestDate;
        if (asOf === null)
          throw new PraxisError("PRECONDITION_FAILED", "The day of the request is not known: no resource has a date.");
        return { cards: cardsOf(tools.kb, advise(tools, request, asOf), request) };
      },
    },
    {
      method: "POST",
      path: `${path}/feedback`,
      description: `CDS Hooks 2.0, ${hook}: what users did with cards. Overriding a critical or warning card asks for a reason.`,
      call(body) {
        for (const feedback of readFeedback(serviceId(hook), parseFhirJson(body))) onFeedback(feedback);
        return {};
      },
    },
  ];
}
