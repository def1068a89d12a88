import { didYouMean, hashText, PraxisError } from "@praxis/env";
import { parse } from "yaml";
import { z } from "zod";
import type { KnowledgeBase } from "../kb/types.ts";
import type { Drawn } from "../sub-environments/sub-environment.ts";
import { CATALOGUE, type Task } from "./key.ts";
import { type Plain, packScenario, unpackContent, unpackScenario } from "./pack-codec.ts";
import { DIFFICULTIES, type Difficulty, type Scenario } from "./types.ts";

/** First part of the id of a packed scenario: `pack/ddi_risk/easy/3`. */
export const PACK_PREFIX = "pack/";

/** An entry: the whole scenario, or for tasks whose content is worked out the id it is drawn by and what must come out. */
const entrySchema = z.strictObject({
  id: z.string(),
  /** What is wrong with this patient and what a pharmacist would do. */
  reading: z.string(),
  scenario: z.unknown().optional(),
  content: z.unknown().optional(),
  drawn: z.strictObject({ scenario_id: z.string(), digest: z.string() }).optional(),
});

const packSchema = z.strictObject({ notice: z.string(), task: z.string(), scenarios: z.array(entrySchema) });

/** One scenario of a pack. */
export type PackEntry = z.infer<typeof packSchema>["scenarios"][number];

/** A pack as its file says. Throws INVALID_CONFIG with the place of the first fault. */
export function parsePack(text: string): readonly PackEntry[] {
  const parsed = packSchema.safeParse(parse(text));
  if (parsed.success) return parsed.data.scenarios;
  const issue = parsed.error.issues[0]!;
  throw new PraxisError("INVALID_CONFIG", `Pack: ${issue.path.join(".")}: ${issue.message}.`);
}

/** Sixteen hex digits that change with anything in a scenario but its last digits. */
export function scenarioDigest(kb: KnowledgeBase, scenario: Scenario): string {
  return hashText(JSON.stringify(packScenario(kb, scenario)));
}

/** Task and tier of `pack/<task>/<tier>/<number>`; null for an id of another form or of no task. */
export function parsePackId(id: string): { readonly task: Task; readonly difficulty: Difficulty } | null {
  const [, name, tier] = id.split("/");
  const task = CATALOGUE.find((entry) => entry.task === name)?.task;
  const difficulty = DIFFICULTIES.find((each) => each === tier);
  return !id.startsWith(PACK_PREFIX) || task === undefined || difficulty === undefined ? null : { task, difficulty };
}

/** Scenario packs, each read when it is first asked for. */
export class PackShelf {
  readonly #kb: KnowledgeBase;
  readonly #read: (task: Task) => string;
  readonly #packs = new Map<string, ReadonlyMap<string, PackEntry>>();

  /** @param read text of the pack of a task */
  constructor(kb: KnowledgeBase, read: (task: Task) => string) {
    this.#kb = kb;
    this.#read = read;
  }

  /** Entries of a task's pack, by id. */
  entries(task: Task): ReadonlyMap<string, PackEntry> {
    let pack = this.#packs.get(task);
    if (pack === undefined) {
      pack = new Map(parsePack(this.#read(task)).map((entry) => [entry.id, entry]));
      this.#packs.set(task, pack);
    }
    return pack;
  }

  /**
   * The packed scenario of an id. Throws UNKNOWN_NAME for an id that no pack has, INVALID_CONFIG where the drawing of a
   * scenario no longer gives the packed one.
   */
  get(id: string, draw: (scenarioId: string) => Drawn): Drawn {
    const place = parsePackId(id);
    const entries = place === null ? null : this.entries(place.task);
    const entry = entries?.get(id);
    if (entry === undefined)
      throw new PraxisError(
        "UNKNOWN_NAME",
        `No packed scenario '${id}'.${didYouMean(id, entries?.keys() ?? [])} An id looks like 'pack/ddi_risk/easy/3'.`,
      );
    if (entry.drawn === undefined)
      return {
        scenario: unpackScenario(this.#kb, entry.scenario as Plain),
        content: unpackContent(this.#kb, (entry.content ?? null) as Plain),
      };
    const drawn = draw(entry.drawn.scenario_id);
    const digest = scenarioDigest(this.#kb, drawn.scenario);
    if (digest !== entry.drawn.digest)
      throw new PraxisError(
        "INVALID_CONFIG",
        `'${entry.drawn.scenario_id}' is drawn as ${digest}, not as ${entry.drawn.digest}, which '${id}' was made of. Make the packs anew: node scripts/make-packs.mjs.`,
      );
    return { ...drawn, scenario: { ...drawn.scenario, id } };
  }
}
