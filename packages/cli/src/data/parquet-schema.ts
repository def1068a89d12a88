import type { DataKind } from "@praxis/polyguard/data";
import type { SchemaElement } from "hyparquet-writer";

/** Type of a column: text, a number, a whole number, a truth value, a list of one type, or a structure of named ones. */
export type ColumnType =
  | "text"
  | "number"
  | "whole"
  | "truth"
  | { readonly list: ColumnType }
  | { readonly fields: Readonly<Record<string, ColumnType>> };

const HEAD = { id: "text", split: "text", sub_environment: "text", difficulty: "text", scenario_id: "text" } as const;
const MESSAGES = { list: { fields: { role: "text", content: "text" } } } as const;

/** Columns of each kind of data set, in the order of their JSON keys. */
export const COLUMNS: Readonly<Record<DataKind, Readonly<Record<string, ColumnType>>>> = {
  sft: {
    ...HEAD,
    messages: MESSAGES,
    meta: {
      fields: {
        ...{ seed: "whole", step: "whole", u_gap: "number", source: "text", policy: "text", action_type: "text" },
        ...{ reward: "number", observation_hash: "text" },
      },
    },
  },
  preference: {
    ...HEAD,
    prompt: MESSAGES,
    completions: { list: "text" },
    rewards: { list: "number" },
    advantages: { list: "number" },
    chosen: "text",
    rejected: "text",
    meta: { fields: { seed: "whole", step: "whole", observation_hash: "text" } },
  },
  traces: {
    ...HEAD,
    step: "whole",
    policy: "text",
    observation: "text",
    candidates: { list: "text" },
    candidate_rewards: { list: "number" },
    candidate_legal: { list: "truth" },
    action: "text",
    reward: "number",
    verifier: "text",
    observation_hash: "text",
  },
};

/** The Parquet schema of named columns; lists in the three levels that every reader knows, nothing nullable. */
export function parquetSchema(columns: Readonly<Record<string, ColumnType>>): SchemaElement[] {
  const names = Object.keys(columns);
  return [{ name: "root", num_children: names.length }, ...names.flatMap((name) => elementsOf(name, columns[name]!))];
}

function elementsOf(name: string, type: ColumnType): SchemaElement[] {
  const repetition_type = "REQUIRED";
  switch (type) {
    case "text":
      return [{ name, type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type }];
    case "number":
      return [{ name, type: "DOUBLE", repetition_type }];
    case "whole":
      return [{ name, type: "INT32", repetition_type }];
    case "truth":
      return [{ name, type: "BOOLEAN", repetition_type }];
  }
  if ("list" in type)
    return [
      { name, converted_type: "LIST", repetition_type, num_children: 1 },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      ...elementsOf("element", type.list),
    ];
  const fields = Object.keys(type.fields);
  return [
    { name, repetition_type, num_children: fields.length },
    ...fields.flatMap((field) => elementsOf(field, type.fields[field]!)),
  ];
}
