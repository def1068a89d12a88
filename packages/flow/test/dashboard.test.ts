import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type Dashboard, type DashboardOptions, serveDashboard } from "../src/node/dashboard.ts";

const runs = mkdtempSync(join(tmpdir(), "flow-dash-"));
const evil = "</script><img src=x onerror=alert(1)>";
const event = (seq: number, type = "log", data: object = { message: evil }): string =>
  `${JSON.stringify({ v: 1, seq, time: seq, runId: "r", spanId: "flow", parentSpanId: null, type, data })}\n`;
mkdirSync(join(runs, "one"));
writeFileSync(join(runs, "one", "checkpoint.ndjson"), "");
writeFileSync(join(runs, "one", "events.ndjson"), event(0, "run.started", { flow: evil }) + event(1) + event(2));
writeFileSync(join(runs, "secret.txt"), "CANARY");
afterAll(() => rmSync(runs, { recursive: true, force: true }));

const open: Dashboard[] = [];
afterEach(async () => {
  for (const dashboard of open.splice(0)) await dashboard.close();
});
const serve = async (options: Partial<DashboardOptions> = {}): Promise<Dashboard> => {
  const dashboard = await serveDashboard({ runs, port: 0, pollMs: 10, ...options });
  open.push(dashboard);
  return dashboard;
};

/** A request whose Host header can be set. */
function get(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers }, (response) => {
      let body = "";
      response.on("data", (part) => {
        body += String(part);
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    call.on("error", reject);
    call.end();
  });
}

test("lists runs with their state and gives a run's events", async () => {
  const { url } = await serve();
  expect(JSON.parse((await get(`${url}api/runs`)).body)).toEqual([
    { id: "one", flow: evil, status: "running", runId: "r", events: 3 },
  ]);
  expect((JSON.parse((await get(`${url}api/runs/one/events`)).body) as unknown[]).length).toBe(3);
  expect((await get(`${url}api/runs/none/events`)).status).toBe(404);
});

test("the page holds nothing of a run, puts texts in as text nodes only, and runs no script but its own", async () => {
  const { url } = await serve();
  const page = await get(url);
  expect(page.body).not.toContain("onerror");
  expect(page.body).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  const nonce = /script-src 'nonce-([^']+)'/.exec(String(page.headers["content-security-policy"]))![1]!;
  expect(page.body.match(/<script/g)).toHaveLength(1);
  expect(page.body).toContain(`<script nonce="${nonce}">`);
});

test.each(["..", "%2e%2e", "..%2f..%2fetc", "one%2f..%2f..", "secret.txt", ".", "%00"])(
  "no folder but those of runs can be named: %s",
  async (id) => {
    const { url } = await serve();
    const reply = await get(`${url}api/runs/${id}/events`);
    expect(reply.status).toBe(404);
    expect(reply.body).not.toContain("CANARY");
  },
);

describe("who may look", () => {
  test("a foreign host name is refused on this machine", async () => {
    const { url } = await serve();
    expect((await get(`${url}api/runs`, { host: "evil.example" })).status).toBe(403);
    expect((await get(`${url}api/runs`, { host: "localhost:3001" })).status).toBe(200);
  });

  test("beyond this machine it needs a token, and the token is checked at every door", async () => {
    await expect(serveDashboard({ runs, port: 0, host: "0.0.0.0" })).rejects.toMatchObject({ code: "E403" });
    const { url } = await serve({ token: "opensesame" });
    expect((await get(url)).status).toBe(401);
    expect((await get(`${url}api/runs?token=wrong`)).status).toBe(401);
    expect((await get(`${url}api/runs?token=opensesame`)).status).toBe(200);
    expect((await get(`${url}api/runs`, { authorization: "Bearer opensesame" })).status).toBe(200);
    const socket = new WebSocket(`${url.replace("http", "ws")}events?run=one&from=0`);
    await expect(new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject))).rejects.toThrow();
  });

  test("another site's page can't open the socket", async () => {
    const { url } = await serve();
    const socket = new WebSocket(`${url.replace("http", "ws")}events?run=one&from=0`, {
      origin: "https://evil.example",
    });
    await expect(new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject))).rejects.toThrow();
  });
});

test("a socket gives what is there from a number on, then what comes, without gaps or repeats", async () => {
  const { url } = await serve();
  const seqs: number[] = [];
  const socket = new WebSocket(`${url.replace("http", "ws")}events?run=one&from=1`);
  socket.on("message", (data) => seqs.push((JSON.parse(String(data)) as { seq: number }).seq));
  await expect.poll(() => seqs.length).toBe(2);
  const line = event(3);
  appendFileSync(join(runs, "one", "events.ndjson"), line.slice(0, 20));
  await new Promise((resolve) => setTimeout(resolve, 40));
  appendFileSync(join(runs, "one", "events.ndjson"), line.slice(20) + event(4));
  await expect.poll(() => seqs).toEqual([1, 2, 3, 4]);
  socket.close();
  const bad = new WebSocket(`${url.replace("http", "ws")}events?run=../one&from=0`);
  expect(await new Promise((resolve) => bad.on("close", (code) => resolve(code)))).toBe(1008);
});
