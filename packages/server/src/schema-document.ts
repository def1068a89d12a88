import type { EnvDefinition } from "@praxis/env";
import { z } from "zod";
import { actionJsonSchema, isRecord, objectForms } from "./action.ts";

type Json = Record<string, unknown>;

/** Names of state fields that the wire spells otherwise. */
const STATE_NAMES: Readonly<Record<string, string>> = { episodeId: "episode_id", stepCount: "step_count" };
const METADATA: Json = {
  type: "object",
  additionalProperties: true,
  title: "Metadata",
  description: "Whatever else is worth telling; never needed.",
};
const FLAGS: Json = {
  done: { type: "boolean", default: false, title: "Done", description: "The episode is over." },
  reward: {
    anyOf: [{ type: "boolean" }, { type: "integer" }, { type: "number" }, { type: "null" }],
    default: null,
    title: "Reward",
    description: "Reward of the step; null on reset.",
  },
  terminated: { type: "boolean", title: "Terminated", description: "The task ended." },
  truncated: { type: "boolean", title: "Truncated", description: "A limit outside the task cut the episode." },
  metadata: METADATA,
};

const title = (definition: EnvDefinition, what: string): string => definition.id.replace(/-v\d+$/, "") + what;

function withoutDialect(schema: Json): Json {
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

/** One object schema that covers all forms of a union: every property, required only where every form requires it. */
function merged(schema: Json): Json {
  const forms = objectForms(schema);
  const variants = new Map<string, unknown[]>();
  for (const form of forms)
    for (const [name, property] of Object.entries(isRecord(form.properties) ? form.properties : {})) {
      const known = variants.get(name) ?? [];
      if (!known.some((variant) => JSON.stringify(variant) === JSON.stringify(property))) known.push(property);
      variants.set(name, known);
    }
  const properties: Json = {};
  for (const [name, known] of variants) properties[name] = known.length === 1 ? known[0] : { anyOf: known };
  const lists = forms.map((form) => (Array.isArray(form.required) ? (form.required as string[]) : []));
  const required = (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)));
  return { properties, required };
}

/** A closed object schema: the forms of `schema` with further properties in each. */
function closed(schema: Json, name: string, extra: Json): Json {
  const { $defs, description, oneOf, anyOf, properties, required, additionalProperties } = withoutDialect(schema);
  const head = { title: name, type: "object", ...(description === undefined ? {} : { description }) };
  const tail = $defs === undefined ? {} : { $defs };
  const union = oneOf ?? anyOf;
  if (Array.isArray(union)) {
    const all = merged(schema);
    return {
      ...head,
      properties: { ...(all.properties as Json), ...extra },
      required: all.required,
      additionalProperties: false,
      [oneOf === undefined ? "anyOf" : "oneOf"]: objectForms(schema).map((form) => ({
        ...form,
        properties: { ...(form.properties as Json), ...extra },
        additionalProperties: false,
      })),
      ...tail,
    };
  }
  const isOpen = isRecord(additionalProperties) || additionalProperties === true;
  return {
    ...head,
    properties: { ...(properties as Json), ...extra },
    required: required ?? [],
    additionalProperties: isOpen ? additionalProperties : false,
    ...tail,
  };
}

function actionSchema(definition: EnvDefinition): Json {
  return closed(actionJsonSchema(definition), title(definition, "Action"), { metadata: METADATA });
}

function observationSchema(definition: EnvDefinition): Json {
  const schema = z.toJSONSchema(definition.schemas.observation, { io: "output", unrepresentable: "any" }) as Json;
  const isObject = objectForms(schema).every((form) => form.type === "object");
  // What is not an object travels as `value`.
  const { $defs, ...plain } = withoutDialect(schema);
  const record = isObject
    ? schema
    : { type: "object", properties: { value: plain }, required: ["value"], ...($defs === undefined ? {} : { $defs }) };
  return closed(record, title(definition, "Observation"), FLAGS);
}

function stateSchema(definition: EnvDefinition): Json {
  const schema = z.toJSONSchema(definition.schemas.state, { io: "output", unrepresentable: "any" }) as Json;
  const { $defs } = schema;
  const all = merged(schema);
  const onWire = (name: string): string => STATE_NAMES[name] ?? name;
  const properties: Json = {
    episode_id: { anyOf: [{ type: "string" }, { type: "null" }], default: null, title: "Episode Id" },
    step_count: { type: "integer", minimum: 0, default: 0, title: "Step Count" },
  };
  for (const [name, property] of Object.entries(all.properties as Json)) properties[onWire(name)] = property;
  return {
    title: title(definition, "State"),
    type: "object",
    properties,
    required: (all.required as string[]).map(onWire),
    additionalProperties: true,
    ...($defs === undefined ? {} : { $defs }),
  };
}

/** Body of `/schema`: JSON Schemas of actions, observations (of a reset too) and states, as they are on the wire. */
export function schemaDocument(definition: EnvDefinition): Json {
  const observation = observationSchema(definition);
  return {
    action: actionSchema(definition),
    observation,
    state: stateSchema(definition),
    reset_observation: observation,
  };
}

/** Body of `/metadata`: OpenEnv's six keys, then what else a Praxis client may want to know. */
export function metadataDocument(definition: EnvDefinition): Json {
  return {
    name: definition.name,
    description: definition.description,
    readme_content: definition.readme ?? null,
    version: definition.version,
    author: definition.author ?? null,
    documentation_url: definition.documentationUrl ?? null,
    id: definition.id,
    notice: definition.notice ?? null,
    reward_range: definition.rewardRange,
    max_episode_steps: definition.maxEpisodeSteps ?? null,
    tools: (definition.tools ?? []).map((tool) => tool.name),
    reset_options: withoutDialect(
      z.toJSONSchema(definition.schemas.reset, { io: "input", unrepresentable: "any" }) as Json,
    ),
    ...definition.metadata,
  };
}
