import { z } from "zod";
import type { TaskProvider } from "../env.ts";
import { EnvRegistry } from "../registry.ts";
import { type Check, type CheckContext, errorOf, playReference, show, withPlayer } from "./player.ts";

const RESERVED_TOOL_NAMES = ["reset", "step", "state", "close"];

const metadata: Check = {
  name: "metadata",
  rule: "Id, name, description, version and reward range are filled in.",
  async run({ definition }) {
    for (const field of ["description", "version"] as const)
      if (definition[field].trim() === "") return `'${field}' is empty.`;
    const [low, high] = definition.rewardRange;
    if (!(low <= high)) return `rewardRange [${low}, ${high}] is empty.`;
    const limit = definition.maxEpisodeSteps;
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1))
      return `maxEpisodeSteps is ${limit}; it must be a positive integer.`;
    return (await errorOf(() => new EnvRegistry([definition])))?.message ?? null;
  },
};

const schemasPublishable: Check = {
  name: "schemas-publishable",
  rule: "Every schema can be written as JSON Schema, and a reset without options is valid.",
  async run({ definition }) {
    const inputs = (definition.tools ?? []).map((tool) => [`input of tool '${tool.name}'`, tool.input] as const);
    for (const [name, schema] of [...Object.entries(definition.schemas), ...inputs]) {
      const error = await errorOf(() => z.toJSONSchema(schema));
      if (error !== null) return `The schema '${name}' has no JSON Schema: ${error.message}.`;
    }
    return definition.schemas.reset.safeParse({}).success ? null : "The reset schema refuses {}.";
  },
};

const actionStrict: Check = {
  name: "action-strict",
  rule: "The action schema refuses unknown fields.",
  run: (context) =>
    withPlayer(context, async (player) => {
      await player.reset({ seed: context.seed });
      const action = player.sample();
      if (typeof action !== "object" || action === null || Array.isArray(action)) return null;
      const more = { ...action, reward: 1 };
      return context.definition.schemas.action.safeParse(more).success
        ? "The action schema takes an unknown field; make it a strict object."
        : null;
    }),
};

const toolNames: Check = {
  name: "tool-names",
  rule: "Tool names are unique and none is reset, step, state or close.",
  run({ definition }) {
    const names = (definition.tools ?? []).map((tool) => tool.name);
    const reserved = names.find((name) => RESERVED_TOOL_NAMES.includes(name.toLowerCase()));
    if (reserved !== undefined) return `A tool may not be named '${reserved}'.`;
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    return twice === undefined ? null : `Two tools are named '${twice}'.`;
  },
};

const toolDescriptions: Check = {
  name: "tool-descriptions",
  rule: "Every tool has a description.",
  run({ definition }) {
    const mute = definition.tools?.find((tool) => tool.description.trim() === "");
    return mute === undefined ? null : `Tool '${mute.name}' has no description.`;
  },
};

async function checkTask(
  context: CheckContext,
  tasks: TaskProvider,
  split: string,
  index: number,
): Promise<string | null> {
  const [first, second] = [show(tasks.get(split, index)), show(tasks.get(split, index))];
  if (first !== second) return `Task ${index} of split '${split}' is ${first}, then ${second}.`;
  const options = { split, index };
  if (!context.definition.schemas.reset.safeParse(options).success)
    return `The reset schema refuses ${show(options)}, which choose a task.`;
  const request = { seed: context.seed, options };
  const error = await errorOf(() => playReference({ ...context, steps: 1 }, request));
  return error === null ? null : `Task ${index} of split '${split}' can't be reset to: ${error.message}`;
}

const tasksConsistent: Check = {
  name: "tasks",
  rule: "The same split and index always give an equal task, which a reset takes; an unknown split is refused.",
  async run(context) {
    const { tasks } = context.definition;
    if (tasks === undefined) return null;
    const names = tasks.splits().map((split) => split.name);
    if (new Set(names).size !== names.length) return `Split names repeat: ${names.join(", ")}.`;
    for (const split of names) {
      const count = tasks.count(split);
      if (!(Number.isSafeInteger(count) && count >= 0)) return `Split '${split}' counts ${count} tasks.`;
      for (const index of new Set([0, count - 1])) {
        const wrong = index >= 0 ? await checkTask(context, tasks, split, index) : null;
        if (wrong !== null) return wrong;
      }
    }
    const error = await errorOf(() => tasks.count("no such split"));
    return error?.code === "UNKNOWN_NAME" ? null : "An unknown split is not refused with UNKNOWN_NAME.";
  },
};

/** Rules about what is known before an environment is built. */
export const definitionChecks: readonly Check[] = [
  metadata,
  schemasPublishable,
  actionStrict,
  toolNames,
  toolDescriptions,
  tasksConsistent,
];
