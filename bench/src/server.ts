import { performance } from "node:perf_hooks";
import { bootstrap, quantile } from "@praxis/eval";
import type { Measurement } from "./figures.ts";
import type { LoadRequest, LoadResult } from "./load/generator.ts";
import { clientFrame, LeanSocket } from "./load/websocket.ts";
import { load, memoryOf, officialPython, type Running, startCommand, startOfficial, startPraxis } from "./processes.ts";

type Report = (measurement: Measurement) => void;

const ROUNDS = 5;
const STEP_FRAMES = ["hello", "a somewhat longer text to echo", "Zoë 李"].map((message) =>
  JSON.stringify({ type: "step", data: { message } }),
);
const RESET_FRAME = JSON.stringify({ type: "reset", data: {} });

function steps(port: number, sessions: number, durationMs = 2500): LoadRequest {
  return {
    kind: "ws",
    port,
    path: "/ws",
    sessions,
    warmupMs: 700,
    durationMs,
    frames: STEP_FRAMES,
    resetFrame: RESET_FRAME,
    resetWhen: "",
    agent: "echo",
  };
}

const round = (value: number): string => Math.round(value).toLocaleString("en-US");

/** Ours and the peer in turn, ABAB, so that a drift of the machine's speed hits both. */
async function paired(
  ours: Running,
  peer: Running | null,
  request: (port: number) => LoadRequest,
  rounds: number,
  cpu: number | null = null,
): Promise<{ ours: LoadResult[]; peer: LoadResult[] }> {
  const results = { ours: [] as LoadResult[], peer: [] as LoadResult[] };
  for (let i = 0; i < rounds; i++) {
    results.ours.push(await load(request(ours.port), cpu));
    if (peer !== null) results.peer.push(await load(request(peer.port), cpu));
  }
  const failed = [...results.ours, ...results.peer].reduce((sum, result) => sum + result.errors, 0);
  if (failed > 0) throw new Error(`${failed} requests failed under load; the figures would mean nothing`);
  return results;
}

/** Ratio of one number of a load result, round by round, with its bootstrap interval. */
function ratio(
  id: string,
  goal: string | null,
  runs: { ours: LoadResult[]; peer: LoadResult[] },
  read: (result: LoadResult) => number,
  unit: string,
  note: string,
): Measurement {
  const ratios = runs.ours.map((result, i) => read(result) / read(runs.peer[i]!));
  const estimate = bootstrap(ratios);
  const mid = (results: LoadResult[]): number => quantile(results.map(read), 0.5);
  const shown = (value: number): string => (unit === "ms" ? `${value.toFixed(2)} ms` : `${round(value)} ${unit}`);
  return {
    id,
    value: estimate.mean,
    unit: "times",
    goal,
    peer: `openenv 0.10.0: ${shown(mid(runs.peer))}`,
    n: ratios.length,
    interval: [estimate.low, estimate.high],
    note: `ours ${shown(mid(runs.ours))}; ${note}`,
  };
}

/** One absolute number of ours, the peer's beside it where it ran. */
function absolute(
  id: string,
  runs: { ours: LoadResult[]; peer: LoadResult[] },
  unit: string,
  note: string,
): Measurement {
  const estimate = bootstrap(runs.ours.map((result) => result.perSecond));
  const peer =
    runs.peer.length === 0
      ? null
      : `openenv 0.10.0: ${round(
          quantile(
            runs.peer.map((result) => result.perSecond),
            0.5,
          ),
        )} ${unit}`;
  return {
    id,
    value: estimate.mean,
    unit,
    goal: null,
    peer,
    n: runs.ours.length,
    interval: [estimate.low, estimate.high],
    note,
  };
}

async function measureThroughput(report: Report): Promise<void> {
  const python = officialPython("0.10");
  const ours = await startPraxis();
  const peer = python === null ? null : await startOfficial(python);
  if (peer === null)
    console.log(
      "The official Python server is not installed (.venv/openenv-0.10): ratios are left out. `node scripts/python-peers.mjs --install` installs it.",
    );
  try {
    const at64 = await paired(ours, peer, (port) => steps(port, 64), ROUNDS);
    if (peer !== null)
      report(
        ratio(
          "server.ws64",
          ">= 10",
          at64,
          (result) => result.perSecond,
          "steps/s",
          "64 WebSocket sessions, trivial environment, one server process each",
        ),
      );
    report(absolute("server.ws64_steps", at64, "steps/s", "64 WebSocket sessions"));
    for (const sessions of [1, 16, 256]) {
      const runs = await paired(ours, peer, (port) => steps(port, sessions), sessions === 256 ? ROUNDS : 3);
      report(
        absolute(
          `server.ws${sessions}_steps`,
          runs,
          "steps/s",
          `${sessions} WebSocket session${sessions === 1 ? "" : "s"}`,
        ),
      );
      if (sessions === 256 && peer !== null)
        report(
          ratio(
            "server.p99_256",
            "<= 0.1",
            runs,
            (result) => result.p99Ms,
            "ms",
            "p99 latency at 256 sessions, ours divided by the peer's",
          ),
        );
    }
    report(
      absolute(
        "server.ws2000_steps",
        await paired(ours, peer, (port) => steps(port, 2000, 4000), 3),
        "steps/s",
        "2,000 WebSocket sessions",
      ),
    );
    const http = (port: number): LoadRequest => ({
      ...steps(port, 16),
      kind: "http",
      path: "/reset",
      resetFrame: "{}",
    });
    report(
      absolute(
        "server.http_resets",
        await paired(ours, peer, http, 3),
        "requests/s",
        "POST /reset without a session, 16 keep-alive connections",
      ),
    );
  } finally {
    await ours.stop();
    await peer?.stop();
  }
  if (python === null) return;
  const oursPinned = await startPraxis({ cpu: 0 });
  const peerPinned = await startOfficial(python, { cpu: 0 });
  try {
    const runs = await paired(oursPinned, peerPinned, (port) => steps(port, 64), ROUNDS, 1);
    report(
      ratio(
        "server.ws64_pinned",
        null,
        runs,
        (result) => result.perSecond,
        "steps/s",
        "as server.ws64, server on one core and load on another",
      ),
    );
  } finally {
    await oursPinned.stop();
    await peerPinned.stop();
  }
}

async function measurePolyguardOverWire(report: Report): Promise<void> {
  const request = (port: number, path: string): LoadRequest => ({
    ...steps(port, 64, 3000),
    path,
    agent: "polyguard",
    // One scenario, so that making scenarios is not what is measured.
    resetFrame: JSON.stringify({ type: "reset", data: { difficulty: "medium", seed: 7 } }),
    resetWhen: '"done":true',
  });
  for (const workers of [1, 2]) {
    const server = await startCommand(["--workers", String(workers)]);
    try {
      const runs: LoadResult[] = [];
      for (let i = 0; i < 3; i++) runs.push(await load(request(server.port, "/polyguard/ws")));
      report(
        absolute(
          workers === 1 ? "server.polyguard64_steps" : "server.polyguard64_workers2_steps",
          { ours: runs, peer: [] },
          "steps/s",
          `PolyGuard, medium, 64 sessions of one scenario, --workers ${workers}, observation and action over the wire`,
        ),
      );
    } finally {
      await server.stop();
    }
  }
}

/** Steps a socket and resolves with the latency of each reply in milliseconds. */
async function stepLatencies(socket: LeanSocket, count: number): Promise<number[]> {
  const frame = clientFrame(STEP_FRAMES[0]!);
  const latencies: number[] = [];
  for (let i = 0; i < count; i++) {
    const sent = performance.now();
    await new Promise<void>((resolve) => {
      socket.onText = () => resolve();
      socket.socket.write(frame);
    });
    latencies.push(performance.now() - sent);
  }
  return latencies;
}

async function openAndReset(port: number, count: number): Promise<LeanSocket[]> {
  const sockets: LeanSocket[] = [];
  while (sockets.length < count) {
    const group = await Promise.all(
      Array.from({ length: Math.min(100, count - sockets.length) }, () => LeanSocket.open("127.0.0.1", port, "/ws")),
    );
    await Promise.all(
      group.map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.onText = () => resolve();
            socket.socket.write(clientFrame(RESET_FRAME));
          }),
      ),
    );
    sockets.push(...group);
  }
  return sockets;
}

async function measureIdle(report: Report): Promise<void> {
  const server = await startPraxis();
  try {
    const [stepping] = await openAndReset(server.port, 1);
    await stepLatencies(stepping!, 500);
    const before = await memoryOf(server);
    const idle = await openAndReset(server.port, 10_000);
    const after = await memoryOf(server);
    report({
      id: "server.idle_memory",
      value: (after.rss - before.rss) / 10_000 / 1000,
      unit: "kB",
      goal: "< 50",
      peer: null,
      n: 10_000,
      interval: null,
      note: "growth of the server's resident memory per open, reset session, after a collection",
    });
    const latencies = await stepLatencies(stepping!, 5000);
    const rounds = Array.from({ length: 10 }, (_, i) => quantile(latencies.slice(i * 500, (i + 1) * 500), 0.99));
    const estimate = bootstrap(rounds);
    report({
      id: "server.idle_sessions",
      value: quantile(latencies, 0.99),
      unit: "ms",
      goal: "< 20",
      peer: null,
      n: latencies.length,
      interval: [estimate.low, estimate.high],
      note: "p99 of a stepping session beside 10,000 idle ones; interval over ten blocks of 500 steps",
    });
    for (const socket of [...idle, stepping!]) socket.socket.destroy();
  } finally {
    await server.stop();
  }
}

async function measureSoak(report: Report): Promise<void> {
  const server = await startPraxis({ capacity: 64 });
  try {
    const [socket] = await openAndReset(server.port, 1);
    const reset = clientFrame(JSON.stringify({ type: "reset", data: { seed: 1 } }));
    const resets = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++)
        await new Promise<void>((resolve) => {
          socket!.onText = () => resolve();
          socket!.socket.write(reset);
        });
    };
    await resets(2000);
    const before = await memoryOf(server);
    await resets(20_000);
    const after = await memoryOf(server);
    report({
      id: "server.soak_resets",
      value: (after.heapUsed - before.heapUsed) / 1e6,
      unit: "MB",
      goal: "< 2",
      peer: null,
      n: 20_000,
      interval: null,
      note: "growth of the heap over 20,000 resets in one session, after a collection",
    });
    socket!.socket.destroy();

    const vanish = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 50) {
        const sockets = await openAndReset(server.port, 50);
        for (const each of sockets) each.socket.resetAndDestroy();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await vanish(200);
    const calm = await memoryOf(server);
    await vanish(1000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const end = await memoryOf(server);
    const health = (await (await fetch(`http://127.0.0.1:${server.port}/health`)).json()) as {
      active_sessions: number;
    };
    report({
      id: "server.soak_vanish",
      value: health.active_sessions,
      unit: "slots taken",
      goal: "= 0",
      peer: null,
      n: 1000,
      interval: null,
      note: `1,000 clients that connect, reset and vanish; heap growth ${((end.heapUsed - calm.heapUsed) / 1e6).toFixed(2)} MB`,
    });
  } finally {
    await server.stop();
  }
}

/** Throughput beside the official server, PolyGuard over the wire, idle sessions and soak runs. */
export async function measureServer(report: Report): Promise<void> {
  await measureThroughput(report);
  await measurePolyguardOverWire(report);
  await measureIdle(report);
  await measureSoak(report);
}
