import type { ActionPayload } from "../actions/types.ts";
import type { CourseContext } from "../course/context.ts";
import { findMedication } from "../course/regimen.ts";
import { drugAt } from "../kb/lookup.ts";
import type { WorldState } from "../world/types.ts";
import { copyMemory } from "./copy-memory.ts";
import { searchLabels } from "./evidence.ts";
import type { Known, KnownEvidence, Memory, OfferedCandidates, ReviewNote } from "./types.ts";

/** Memory at the beginning of an episode. */
export function initialMemory(context: CourseContext): Memory {
  return {
    values: context.scenario.mask.values,
    revealed: new Set(),
    evidence: injectedEvidence(context.scenario.injectedDocuments),
    reviewNotes: [],
    closedConflicts: new Set(),
    samples: [],
    symptoms: [],
    withdrawalScores: {},
    pillCount: null,
    history: [],
  };
}

const NO_EVIDENCE: readonly KnownEvidence[] = [];

function injectedEvidence(documents: CourseContext["scenario"]["injectedDocuments"]): readonly KnownEvidence[] {
  if (documents === undefined) return NO_EVIDENCE;
  return documents.map(({ id, title, sourceType, year, snippet }) => ({
    ...{ id, title, sourceType, year, snippet },
    drugIndexes: [],
  }));
}

/** What learning from an action looks at. */
export interface LearnRequest {
  readonly context: CourseContext;
  /** True state before the action. */
  readonly world: WorldState;
  readonly known: Known;
  readonly offered: OfferedCandidates;
  readonly memory: Memory;
}

/** The memory after an action's information, samples apart; the same object when nothing was learned. */
export function learn(request: LearnRequest, payload: ActionPayload): Memory {
  const { memory } = request;
  switch (payload.type) {
    case "RECONCILE_ITEM":
      return reconcile(request, payload.target);
    case "ORDER_MONITORING":
      return payload.orders.includes("WEIGHT") ? reveal(memory, ["weight", "height"]) : memory;
    case "FETCH_EXTERNAL_EVIDENCE":
      return fetched(request, payload.query);
    case "REQUEST_REVIEW":
      return reviewed(request, payload.reviewTo, payload.target);
    default:
      return memory;
  }
}

function reveal(memory: Memory, fields: readonly string[]): Memory {
  const fresh = fields.filter((field) => !memory.revealed.has(field));
  if (fresh.length === 0) return memory;
  const next = copyMemory(memory);
  next.revealed = new Set([...memory.revealed, ...fresh]);
  return next;
}

function reconcile({ context, world, memory }: LearnRequest, target: string): Memory {
  const { hidden } = context.scenario.mask;
  const gap = world.truthGaps.find((each) => each.id === target);
  const medRef = gap?.medRef ?? target;
  const fields = [`indication:${medRef}`, `start:${medRef}`, `allergy:${target}`];
  return reveal(
    memory,
    fields.filter((field) => hidden.has(field)),
  );
}

function fetched({ context, world, known, offered, memory }: LearnRequest, query: string): Memory {
  if (world.clock.evidenceLeft <= 0) return memory;
  const indexes = new Set<number>();
  for (const medication of known.medications) if (medication.drugIndex !== null) indexes.add(medication.drugIndex);
  for (const { payload } of offered) if ("drugIndex" in payload) indexes.add(payload.drugIndex);
  const found: KnownEvidence[] = searchLabels(context.kb, [...indexes], query).filter(
    (each) => !memory.evidence.some((old) => old.id === each.id),
  );
  if (found.length === 0) return memory;
  const next = copyMemory(memory);
  next.evidence = [...memory.evidence, ...found];
  return next;
}

/** The specialist's line: hits and monitoring of the target, and an open conflict of that specialty is settled. */
function reviewed({ context, world, known, memory }: LearnRequest, from: string, target: string | null): Memory {
  if (world.clock.reviewsLeft <= 0) return memory;
  const conflict = known.conflicts.find((each) => each.isOpen && (each.id === target || each.from === from));
  const medRef = known.conflicts.find((each) => each.id === target)?.medRef ?? target;
  const medication = medRef === null ? undefined : findMedication(world, medRef);
  const note: ReviewNote = {
    id: `rv${memory.reviewNotes.length + 1}`,
    from,
    text: medication === undefined ? wholeListLine(known) : targetLine(context, known, medication.drugIndex),
    day: world.clock.day,
    drugIndex: medication?.drugIndex ?? null,
  };
  const next = copyMemory(memory);
  next.reviewNotes = [...memory.reviewNotes, note];
  if (conflict !== undefined) next.closedConflicts = new Set([...memory.closedConflicts, conflict.id]);
  return next;
}

function wholeListLine(known: Known): string {
  const open = known.pairHits.filter((hit) => hit.severity !== "moderate").length;
  return `${known.medications.length} drugs, ${open} major or contraindicated pairs on the list.`;
}

function targetLine({ kb }: CourseContext, known: Known, drugIndex: number): string {
  const drug = drugAt(kb, drugIndex);
  const hits = known.pairHits
    .filter((hit) => hit.aIndex === drugIndex || hit.bIndex === drugIndex)
    .map((hit) => {
      const other = drugAt(kb, hit.aIndex === drugIndex ? hit.bIndex : hit.aIndex);
      return `${other.drugId} ${hit.severity} ${hit.domain}`;
    });
  return `${drug.drugId}: ${hits.join(", ") || "no pair hits"}; monitor ${drug.monitoring.join(", ") || "nothing"}.`;
}
