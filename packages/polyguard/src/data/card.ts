import type { DataRow } from "./leaks.ts";
import type { DataKind } from "./rows.ts";

type Counts = Map<string, number>;
type TableName = "split" | "sub-environment" | "difficulty" | "action type" | "source";

/** Counts of the rows of one data set, by what a reader asks for first. */
export class RowCounts {
  readonly #tables: Readonly<Record<TableName, Counts>> = {
    split: new Map(),
    "sub-environment": new Map(),
    difficulty: new Map(),
    "action type": new Map(),
    source: new Map(),
  };

  add(row: DataRow): void {
    this.#count("split", row.split);
    this.#count("sub-environment", row.sub_environment);
    this.#count("difficulty", row.difficulty);
    this.#count("action type", actionTypeOf(row));
    if ("messages" in row) this.#count("source", row.meta.source);
  }

  /** The tables as Markdown, names sorted. */
  markdown(): string {
    return Object.entries(this.#tables)
      .filter(([, counts]) => counts.size > 0)
      .map(([name, counts]) => {
        const rows = [...counts.keys()].sort().map((key) => `| ${key} | ${counts.get(key)} |`);
        return [`| ${name} | rows |`, "| --- | ---: |", ...rows].join("\n");
      })
      .join("\n\n");
  }

  /** Rows of a split. */
  ofSplit(split: string): number {
    return this.#tables.split.get(split) ?? 0;
  }

  #count(table: TableName, key: string): void {
    const counts = this.#tables[table];
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
}

/** Type of the action that a row holds up as the choice. */
function actionTypeOf(row: DataRow): string {
  if ("messages" in row) return row.meta.action_type;
  const text = "action" in row ? row.action : row.chosen;
  return (JSON.parse(text) as { readonly action_type: string }).action_type;
}

/** What a data card tells. */
export interface CardFacts {
  readonly notice: string;
  readonly version: string;
  readonly kbHash: string;
  readonly rows: number;
  readonly dataSeed: number;
  readonly units: number;
  readonly counts: Readonly<Partial<Record<DataKind, RowCounts>>>;
  readonly drops: Readonly<Record<string, number>>;
  readonly shortages: readonly string[];
}

const KIND_TEXT: Readonly<Record<DataKind, string>> = {
  sft: "Chats: system, observation, action as JSON; a correction shows a worse action and its critique first. `meta.source` is who decided, `meta.policy` the policy that played, `meta.u_gap` best less second best (utility of the course, or reward where that does not tell choices apart).",
  preference:
    "Prompts with a group of 4 to 8 offered actions, each with the verifier's reward and its advantage (r - mean) / (std + 1e-4) in the group; `chosen` and `rejected` are the best and the worst. A trainer gives malformed output .001 and holds the policy to the fine-tuned model by a KL term.",
  traces:
    "Whole steps with full information: observation, every candidate with its reward and legality, the action, and the verifier's report. Mining episodes contribute their first steps and, but in the hard tier, the declaration that ends them.",
};

/** The data card: front matter by which `datasets` finds the files, then notice, origin, counts and limits. */
export function dataCard(facts: CardFacts): string {
  const kinds = (Object.keys(KIND_TEXT) as DataKind[]).filter((kind) => facts.counts[kind] !== undefined);
  const configs = kinds.flatMap((kind) => [
    `  - config_name: ${kind}`,
    "    data_files:",
    ...["train", "val"]
      .filter((split) => (facts.counts[kind]?.ofSplit(split) ?? 0) > 0)
      .map((split) => `      - { split: ${split === "val" ? "validation" : split}, path: ${kind}/${split}.parquet }`),
  ]);
  const drops = Object.entries(facts.drops).map(([reason, count]) => `| ${reason} | ${count} |`);
  return `---
license: apache-2.0
configs:
${configs.join("\n")}
---

# PolyGuard training data

${facts.notice} All patients are simulated.

- Generator: PolyGuard ${facts.version}; knowledge base ${facts.kbHash}
- Made with: \`praxis data polyguard --rows ${facts.rows} --seed ${facts.dataSeed} --kinds ${kinds.join(",")}\`
- Episodes: ${facts.units}, splits \`train\` and \`val\` only, one scenario in one split; no held-out rule, hazard family or combination (checked where an episode is played), and no held-out drug on a list or started (read again in every row)
- Same rows as JSON lines and Parquet
${facts.shortages.map((text) => `- Short: ${text}\n`).join("")}
${kinds.map((kind) => `## ${kind}\n\n${KIND_TEXT[kind]}\n\n${facts.counts[kind]!.markdown()}`).join("\n\n")}

## Left out

| decisions | count |
| --- | ---: |
${drops.join("\n")}

## Limits

The decisions are those of simulated planners and rules on simulated patients; they are not clinical advice and were not reviewed by clinicians. Rewards are the verifier's for the step alone, and do not see what a later step makes of it.
`;
}
