import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkWorkers, formatPlace, newWorkerId, ownerOf, parsePlace } from "../src/worker-place.ts";
import { type Json, TestSocket, until } from "./harness.ts";

describe("the place of a worker", () => {
  test("an id tells its worker and is a version 4 UUID", () => {
    for (const index of [0, 1, 17, 255]) {
      const id = newWorkerId(index);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(ownerOf(id, 256)).toBe(index);
    }
    expect(ownerOf(newWorkerId(5), 4)).toBeNull();
    expect(ownerOf("new", 4)).toBeNull();
  });

  test("survives its text form; nonsense and too many workers are refused", () => {
    const place = { index: 1, workers: 3, directory: "/tmp/a b/c" };
    expect(parsePlace(formatPlace(place))).toEqual(place);
    for (const text of ["", "1/1/x", "0/999/x"]) expect(() => parsePlace(text)).toThrow(/not the place/);
    for (const count of [0, 1.5, 257]) expect(() => checkWorkers(count)).toThrow(/workers must be/);
  });
});

describe("two workers", () => {
  let program: ChildProcess;
  let url = "";
  beforeAll(async () => {
    // Workers run the built package, as Node 20 can't load TypeScript.
    const root = fileURLToPath(new URL("../../../", import.meta.url));
    execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "packages/server"], { cwd: root });
    program = spawn(process.execPath, [fileURLToPath(new URL("programs/cluster.mjs", import.meta.url))], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    // Its address or its end is awaited, however long a busy machine takes to start three processes.
    url = await new Promise<string>((resolve, reject) => {
      program.stdout!.once("data", (data: Buffer) => resolve(data.toString().trim()));
      program.once("exit", (code) => reject(new Error(`The program ended with ${code} before it served.`)));
    });
  }, 120_000);
  afterAll(async () => {
    const ended = new Promise((resolve) => program.once("exit", resolve));
    program.kill("SIGTERM");
    await ended;
  });

  const post = async (path: string, body: object): Promise<{ status: number; body: Json; id: string | null }> => {
    // A connection of its own for each request, so that they spread over the workers.
    const response = await fetch(url + path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { connection: "close" },
    });
    return { status: response.status, body: (await response.json()) as Json, id: response.headers.get("x-session-id") };
  };

  test("sessions of both are served whichever worker the request reaches, over HTTP, MCP and sockets", async () => {
    const ids = await Promise.all(
      Array.from({ length: 8 }, async () => (await post("/reset", { session_id: "new" })).id!),
    );
    expect(new Set(ids.map((id) => id.slice(0, 2)))).toEqual(new Set(["00", "01"]));
    for (const id of ids)
      for (let total = 1; total <= 4; total++) {
        const reply = await post("/step", { action: { add: 1 }, session_id: id });
        expect(reply.body.observation).toMatchObject({ total });
      }
    for (const id of ids) {
      const socket = await TestSocket.open(`${url.replace("http", "ws")}/ws?session_id=${id}`);
      expect((await socket.ask({ type: "state" })).data.step_count).toBe(4);
      await socket.close();
    }
  });

  test("a token resumes its session whichever worker the new socket reaches", async () => {
    const ws = `${url.replace("http", "ws")}/ws`;
    for (let i = 0; i < 4; i++) {
      const socket = await TestSocket.open(ws);
      const { data } = await socket.ask({ type: "session" });
      await socket.ask({ type: "step", data: { add: 7 } });
      socket.socket.terminate();
      await socket.closed;
      const next = await TestSocket.open(`${ws}?resume=${data.resume_token}`);
      expect((await next.ask({ type: "step", data: { add: 1 } })).data.observation).toMatchObject({ total: 8 });
      await next.close();
    }
  });

  test("a scrape sums the workers", async () => {
    const text = await (await fetch(`${url}/metrics`, { headers: { connection: "close" } })).text();
    expect(Number(/^praxis_sessions_max (\d+)$/m.exec(text)?.[1])).toBe(512);
  });

  test("a worker that dies is replaced; its sessions are unknown, those of the other go on", async () => {
    const ids = await Promise.all(
      Array.from({ length: 8 }, async () => (await post("/reset", { session_id: "new" })).id!),
    );
    const children = childrenOf(program.pid!);
    expect(children).toHaveLength(2);
    process.kill(children[0]!, "SIGKILL");
    await until(() => childrenOf(program.pid!).length === 2 && !childrenOf(program.pid!).includes(children[0]!));
    const statuses = new Map<string, Set<number>>();
    for (const id of ids) {
      const { status } = await post("/step", { action: { add: 1 }, session_id: id });
      const owner = id.slice(0, 2);
      statuses.set(owner, (statuses.get(owner) ?? new Set()).add(status));
    }
    expect([...statuses.values()].map((set) => [...set]).sort()).toEqual([[200], [404]]);
  });
});

/** Process ids of the children of a process, oldest first (Linux). */
function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return (
          readFileSync(`/proc/${name}/stat`, "utf8")
            .replace(/^.*\) /s, "")
            .split(" ")[1] === String(parent)
        );
      } catch {
        return false; // it ended meanwhile
      }
    })
    .map(Number)
    .sort((a, b) => a - b);
}
