import { describe, expect, test } from "vitest";
import { counterDefinition, echoDefinition } from "./envs.ts";
import { call, makeServer } from "./harness.ts";

const server = makeServer([counterDefinition, echoDefinition], { mode: "production" });
const get = (path: string) => call(server, "GET", path);
const post = (path: string, body?: unknown) => call(server, "POST", path, body);
const task = (index: number) => ({ split: "train", index, limit: index + 1 });

describe("the task API, which both modes have", () => {
  test("lists the environments, the one at the root first", async () => {
    expect((await get("/list_environments")).body).toEqual(["counter", "echo"]);
    expect((await get("/echo/list_environments")).body).toEqual(["echo"]);
  });

  test("splits are objects of name and type", async () => {
    expect((await get("/counter/splits")).body).toEqual([
      { name: "train", type: "train" },
      { name: "extra", type: "validation" },
    ]);
  });

  test("names are compared without case, ids too", async () => {
    expect((await get("/COUNTER/splits")).status).toBe(200);
    expect((await get("/counter-V0/splits")).status).toBe(200);
  });

  test("lists, counts and gives tasks; an index may come as text", async () => {
    expect((await post("/counter/tasks", { split: "train" })).body).toEqual({
      tasks: [task(0), task(1), task(2)],
      env_name: "counter",
    });
    expect((await post("/counter/num_tasks", { split: "train" })).body).toEqual({ num_tasks: 3 });
    expect((await post("/counter/task", { split: "train", index: "2" })).body).toEqual({ task: task(2) });
  });

  test("a range includes its start and not its stop; either may be left out", async () => {
    const range = async (body: object) => (await post("/counter/task_range", { split: "train", ...body })).body;
    expect(await range({ start: 1, stop: 2 })).toEqual({ tasks: [task(1)] });
    expect(await range({ start: null })).toEqual({ tasks: [task(0), task(1), task(2)] });
    expect(await range({ stop: 1 })).toEqual({ tasks: [task(0)] });
    expect(await range({ start: 2, stop: 1 })).toEqual({ tasks: [] });
  });

  test.each([3, -1])("the index %i is 400", async (index) => {
    expect(await post("/counter/task", { split: "train", index })).toMatchObject({
      status: 400,
      body: { detail: "Invalid task index" },
    });
  });

  test("an unknown environment is 404, one without tasks 501, an unknown split or field 422", async () => {
    expect(await get("/nope/splits")).toMatchObject({ status: 404, body: { detail: "unknown environment 'nope'" } });
    expect(await get("/echo/splits")).toMatchObject({
      status: 501,
      body: { detail: "list_splits is not supported for this environment" },
    });
    expect(await post("/echo/task", { split: "a", index: 0 })).toMatchObject({
      status: 501,
      body: { detail: "get_task is not supported for this environment" },
    });
    expect((await post("/counter/tasks", { split: "nope" })).status).toBe(422);
    expect((await post("/counter/tasks", { split: "train", extra: 1 })).body.detail).toMatchObject([
      { type: "extra_forbidden", loc: ["body", "extra"] },
    ]);
  });
});
