import { type EnvDefinition, PraxisError, type TaskProvider, type TaskSplit } from "@praxis/env";
import type { Hono } from "hono";
import { z } from "zod";
import { readObject } from "./http-request.ts";
import { parseLax } from "./lax-parse.ts";

const SPLIT_TYPES: ReadonlySet<string> = new Set(["train", "validation", "test"]);

const splitRequest = z.strictObject({ split: z.string() });
const taskRequest = z.strictObject({ split: z.string(), index: z.int() });
const rangeRequest = z.strictObject({
  split: z.string(),
  start: z.int().nullish(),
  stop: z.int().nullish(),
});

/** A split of the wire; plain names, as some providers list them, become objects. */
function wireSplit(split: TaskSplit | string): TaskSplit {
  if (typeof split !== "string") return split;
  return { name: split, type: SPLIT_TYPES.has(split) ? (split as TaskSplit["type"]) : "validation" };
}

const BAD_INDEX = { detail: "Invalid task index" };

/** Adds the task API for `definitions`; an environment is named by its short name or id, case ignored. */
export function addTaskRoutes(app: Hono, definitions: readonly EnvDefinition[]): void {
  function find(name: string): EnvDefinition {
    const wanted = name.toLowerCase();
    const found = definitions.find(({ id, name: short }) => short === wanted || id.toLowerCase() === wanted);
    if (found === undefined) throw new PraxisError("UNKNOWN_ENVIRONMENT", `unknown environment '${name}'`);
    return found;
  }

  function tasksOf(name: string, method: string): { readonly tasks: TaskProvider; readonly definition: EnvDefinition } {
    const definition = find(name);
    if (definition.tasks === undefined)
      throw new PraxisError("NOT_SUPPORTED", `${method} is not supported for this environment`);
    return { tasks: definition.tasks, definition };
  }

  const range = (tasks: TaskProvider, split: string, start: number, stop: number): unknown[] =>
    Array.from({ length: Math.max(0, stop - start) }, (_, i) => tasks.get(split, start + i));

  app.get("/list_environments", (c) => c.json(definitions.map(({ name }) => name)));

  app.get("/:env_name/splits", (c) => {
    const { tasks } = tasksOf(c.req.param("env_name"), "list_splits");
    return c.json(tasks.splits().map(wireSplit));
  });

  app.post("/:env_name/tasks", async (c) => {
    const { split } = parseLax(splitRequest, await readObject(c), ["body"]);
    const { tasks, definition } = tasksOf(c.req.param("env_name"), "list_tasks");
    return c.json({ tasks: range(tasks, split, 0, tasks.count(split)), env_name: definition.name });
  });

  app.post("/:env_name/num_tasks", async (c) => {
    const { split } = parseLax(splitRequest, await readObject(c), ["body"]);
    return c.json({ num_tasks: tasksOf(c.req.param("env_name"), "num_tasks").tasks.count(split) });
  });

  app.post("/:env_name/task", async (c) => {
    const { split, index } = parseLax(taskRequest, await readObject(c), ["body"]);
    const { tasks } = tasksOf(c.req.param("env_name"), "get_task");
    if (index < 0 || index >= tasks.count(split)) return c.json(BAD_INDEX, 400);
    return c.json({ task: tasks.get(split, index) });
  });

  app.post("/:env_name/task_range", async (c) => {
    const { split, start, stop } = parseLax(rangeRequest, await readObject(c), ["body"]);
    const { tasks } = tasksOf(c.req.param("env_name"), "get_task_range");
    const count = tasks.count(split);
    const from = start ?? 0;
    const to = stop ?? count;
    if (from < 0 || to < 0 || from > count || to > count) return c.json(BAD_INDEX, 400);
    return c.json({ tasks: range(tasks, split, from, to) });
  });
}
