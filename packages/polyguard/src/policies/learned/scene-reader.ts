import type { Scene, SceneReader, SceneResult } from "@praxis/env";
import { PraxisError } from "@praxis/env";
import type { StepAction } from "../../actions/schema.ts";
import { CourseEvaluator } from "../../course/evaluator.ts";
import { CLIP } from "../../features/layout.ts";
import { medicationRows, tableValues } from "../../features/medication-features.ts";
import { findDrug } from "../../kb/lookup.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import type { Observation } from "../../observation/schema.ts";
import { SUB_ENVIRONMENTS } from "../../scenario/types.ts";
import { type Chart, ChartReader } from "../chart.ts";
import { adviceOn, isTyped } from "./advice.ts";
import { courseOffers } from "./course-offers.ts";
import { courseOutlook } from "./course-outlook.ts";
import { AGENT_FIELDS, type AgentField, EDGE_KINDS, SCENE_SHAPE } from "./layout.ts";
import { MinerReader } from "./mining-offers.ts";
import { NewDrugReader, withJudgements } from "./new-drug-offers.ts";
import { withRecommendations } from "./replacement-offers.ts";
import type { SceneOffer } from "./scene-offer.ts";
import { situationValues } from "./situation.ts";

/** Fields that hand on what another policy would choose. */
const ADVICE: readonly AgentField[] = [
  ...(["advised by the rules", "confidence of the advice", "dose by the estimate"] as const),
  "advised",
  ...(["first by the expected course", "place by the expected course"] as const),
];

/** What a reader leaves out, for ablations. */
export interface SceneSwitches {
  /** Whether the choices of rules and estimates are marked; without, they are candidates among the others. */
  readonly advice: boolean;
  /** Whether medications are joined by their interaction hits. */
  readonly graph: boolean;
}

/** Everything shown. */
export const ALL_SHOWN: SceneSwitches = { advice: true, graph: true };

/** Places among the kinds of edge: of a pair hit by its severity's rank, and of an open alert. */
const KIND_OF_RANK = (["moderate", "major", "contraindicated"] as const).map((kind) => EDGE_KINDS.indexOf(kind));
const OPEN_ALERT = EDGE_KINDS.indexOf("open alert");

/**
 * Reads PolyGuard's observations into scenes. It works on observations, the tables and its own choices alone, so it serves at the
 * far end of a wire as well.
 */
export class PolyGuardSceneReader implements SceneReader<StepAction, Observation> {
  readonly #kb: KnowledgeBase;
  readonly #switches: SceneSwitches;
  #charts: ChartReader;
  #miner: MinerReader;
  readonly #newDrug = new NewDrugReader();
  readonly #evaluator: CourseEvaluator;
  #chart: Chart | null = null;
  #offers: readonly SceneOffer[] = [];

  constructor(kb: KnowledgeBase, switches: SceneSwitches, evaluator = new CourseEvaluator(kb)) {
    this.#kb = kb;
    this.#switches = switches;
    this.#evaluator = evaluator;
    this.#charts = new ChartReader(kb);
    this.#miner = new MinerReader(kb);
  }

  read({ observation }: SceneResult<Observation>): Scene {
    // A policy may be given one episode after the other without a word between them.
    if (observation.step === 0) this.#miner = new MinerReader(this.#kb);
    const chart = this.#charts.read(observation);
    this.#chart = chart;
    const { alternative, new_drug: newDrug, bandit } = observation;
    const advice = adviceOn(chart);
    let offers = courseOffers(chart, advice, courseOutlook(chart, advice, this.#evaluator));
    let exposure = 0;
    if (alternative !== undefined && alternative.recommended === null)
      offers = withRecommendations(chart, alternative, advice, offers);
    if (newDrug !== undefined) {
      const outlook = this.#newDrug.outlook(chart, newDrug, advice);
      exposure = outlook?.exposure ?? 0;
      offers = withJudgements(chart, outlook, advice, offers);
    }
    if (bandit !== undefined) offers = this.#miner.offers(observation, bandit, offers);
    this.#offers = offers;
    const mining = bandit === undefined ? ([0, 0, 0] as const) : this.#miner.situation(bandit);
    return this.#scene(chart, situationValues(observation, { exposure, mining }));
  }

  choose(candidate: number, confidence: number): StepAction {
    const offer = this.#offers[candidate];
    if (offer === undefined || this.#chart === null)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `Candidate ${candidate} is none of the ${this.#offers.length} of the scene read last. Read the result first.`,
      );
    if (offer.payload !== null) this.#charts.choose(this.#chart, offer.payload);
    return offer.act(Math.min(1, Math.max(0, confidence)));
  }

  candidateOf(action: StepAction): number | null {
    if (!isTyped(action)) return null;
    const found = this.#offers.findIndex((offer) => offer.matches(action));
    return found < 0 ? null : found;
  }

  fork(): PolyGuardSceneReader {
    const copy = new PolyGuardSceneReader(this.#kb, this.#switches, this.#evaluator);
    copy.#charts = this.#charts.fork();
    return copy;
  }

  #scene(chart: Chart, context: readonly number[]): Scene {
    const listed = medicationRows(chart);
    const offers = this.#offers;
    const { candidates: width, items: itemWidth, relations } = SCENE_SHAPE;
    const items = new Float32Array(listed.length * itemWidth);
    const { task, dosing } = chart.observation;
    const open = new Set(chart.known.alerts.flatMap(({ isManaged, medRefs }) => (isManaged ? [] : medRefs)));
    listed.forEach(({ medRef, values }, row) => {
      put(items, row * itemWidth, values);
      if (medRef === null) return;
      put(items, row * itemWidth + values.length, [
        Number(task.targets?.some(({ med_ref: ref }) => ref === medRef) ?? false),
        Number(task.must_stay?.includes(medRef) ?? false),
        Number(dosing?.med_ref === medRef),
        Number(open.has(medRef)),
      ]);
    });
    const rowOf = new Map(listed.flatMap(({ medRef }, row) => (medRef === null ? [] : [[medRef, row] as const])));
    const candidates = new Float32Array(offers.length * width);
    const itemOf = new Int16Array(offers.length).fill(-1);
    const abstains = new Uint8Array(offers.length);
    offers.forEach(({ row, hints, abstains: hands }, i) => {
      let at = i * width;
      put(candidates, at, row.values);
      at += row.values.length;
      AGENT_FIELDS.forEach((field, j) => {
        const isAdvice = ADVICE.includes(field);
        candidates[at + j] = isAdvice && !this.#switches.advice ? 0 : clip(hints[field] ?? 0);
      });
      at += AGENT_FIELDS.length;
      if (row.replacement >= 0) put(candidates, at, tableValues(this.#kb.drugs[row.replacement]));
      itemOf[i] = row.targetRef === null ? -1 : (rowOf.get(row.targetRef) ?? -1);
      abstains[i] = Number(hands);
    });
    return {
      context: Float32Array.from(context, clip),
      itemCount: listed.length,
      items,
      edges: this.#edges(chart, rowOf, listed.length, relations),
      candidateCount: offers.length,
      candidates,
      itemOf,
      abstains,
      group: SUB_ENVIRONMENTS.indexOf(chart.observation.sub_environment),
    };
  }

  #edges(chart: Chart, rowOf: ReadonlyMap<string, number>, count: number, relations: number): Uint8Array {
    const edges = new Uint8Array(relations * count * count);
    if (!this.#switches.graph) return edges;
    const join = (kind: number, a: number | undefined, b: number | undefined): void => {
      if (a === undefined || b === undefined || a === b) return;
      edges[(kind * count + a) * count + b] = 1;
      edges[(kind * count + b) * count + a] = 1;
    };
    const rowOfDrug = new Map(
      chart.observation.medications.flatMap(({ drug_id: drugId, med_ref: medRef }) => {
        const drug = drugId === null ? undefined : findDrug(this.#kb, drugId);
        return drug === undefined ? [] : [[drug.index, rowOf.get(medRef)] as const];
      }),
    );
    for (const { aIndex, bIndex, entry } of chart.known.pairHits)
      join(KIND_OF_RANK[entry.severityRank]!, rowOfDrug.get(aIndex), rowOfDrug.get(bIndex));
    for (const { isManaged, medRefs } of chart.known.alerts) {
      if (isManaged) continue;
      medRefs.forEach((a, i) => {
        for (const b of medRefs.slice(i + 1)) join(OPEN_ALERT, rowOf.get(a), rowOf.get(b));
      });
    }
    return edges;
  }
}

const clip = (value: number): number => Math.min(CLIP, Math.max(-CLIP, value));

function put(into: Float32Array, at: number, values: readonly number[]): void {
  for (let i = 0; i < values.length; i++) into[at + i] = clip(values[i]!);
}
