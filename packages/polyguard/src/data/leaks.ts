import { PraxisError } from "@praxis/env";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Observation } from "../observation/schema.ts";
import { parseScenarioId } from "../scenario/source.ts";
import { isHeldOutDrug } from "../scenario/splits.ts";
import { hashObservation } from "./play-unit.ts";
import type { PreferenceRow, RowHead, SftRow, TraceRow } from "./rows.ts";
import { DATA_SPLITS } from "./unit-plan.ts";

/** A finished row of any kind. */
export type DataRow = SftRow | PreferenceRow | TraceRow;

/**
 * Looks through finished rows for what must not be trained on. Rows are read as anyone would read the files, whatever made
 * them; hazards that a scenario was made of are checked where the episode is played.
 */
export class LeakAudit {
  readonly #heldOut: ReadonlySet<string>;
  readonly #splitOfScenario = new Map<string, string>();
  readonly #splitOfObservation = new Map<string, string>();

  constructor(kb: KnowledgeBase) {
    this.#heldOut = new Set(kb.drugs.filter((drug) => isHeldOutDrug(kb, drug)).map(({ drugId }) => drugId));
  }

  /**
   * Throws VALIDATION_ERROR that names row and fault: a test split, a seed of another split, a held-out drug on the list, a
   * scenario or an observation that is in two splits.
   */
  check(row: DataRow): void {
    const { split, scenario_id: scenarioId } = row;
    if (!DATA_SPLITS.some((name) => name === split)) throw leak(row, `split '${split}' is for tests`);
    const key = parseScenarioId(scenarioId);
    if (key.split !== split) throw leak(row, `its scenario is of split '${key.split}', not '${split}'`);
    const observation = observationOf(row);
    for (const { drug_id: id } of observation.medications)
      if (id !== null && this.#heldOut.has(id)) throw leak(row, `'${id}' is held out for test_drug`);
    this.#checkOneSplit(row, this.#splitOfScenario, scenarioId, "scenario");
    this.#checkOneSplit(row, this.#splitOfObservation, hashObservation(observation), "observation");
  }

  #checkOneSplit(row: DataRow, splits: Map<string, string>, key: string, what: string): void {
    const other = splits.get(key);
    if (other !== undefined && other !== row.split) throw leak(row, `the same ${what} is in split '${other}' as well`);
    splits.set(key, row.split);
  }
}

function leak({ id, scenario_id: scenarioId }: RowHead, fault: string): PraxisError {
  return new PraxisError("VALIDATION_ERROR", `Leak in row ${id} (${scenarioId}): ${fault}. The row must not be used.`);
}

function observationOf(row: DataRow): Observation {
  if ("observation" in row) return JSON.parse(row.observation) as Observation;
  const messages = "messages" in row ? row.messages : row.prompt;
  return JSON.parse(messages[1]?.content ?? "null") as Observation;
}
