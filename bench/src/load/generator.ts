import { request } from "node:http";
import { performance } from "node:perf_hooks";
import { clientFrame, LeanSocket } from "./websocket.ts";

/** What a load run is told, as JSON in the first argument of this program. */
export interface LoadRequest {
  readonly kind: "ws" | "http";
  readonly port: number;
  /** `/ws`, or the path of an HTTP GET. */
  readonly path: string;
  readonly sessions: number;
  readonly warmupMs: number;
  readonly durationMs: number;
  /** Frames sent in turn after the reset; several make the work vary. */
  readonly frames: readonly string[];
  readonly resetFrame: string;
  /** Step replies that hold this text (the end of an episode) are answered by a reset, which is not counted. */
  readonly resetWhen: string;
  /** `echo` sends the frames in turn; `polyguard` keeps the regimen, answering the nonce and candidate of each observation. */
  readonly agent: "echo" | "polyguard";
}

/** What it answers, as JSON on stdout. */
export interface LoadResult {
  readonly steps: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
}

/** The frame that answers a PolyGuard observation by keeping the regimen. */
function keepFrame(payload: Buffer): Buffer {
  const { data } = JSON.parse(payload.toString()) as {
    data: { observation: { step_nonce: string; candidates: { candidate_id: string; action_type: string }[] } };
  };
  const keep = data.observation.candidates.find((candidate) => candidate.action_type === "KEEP_REGIMEN")!;
  const action = {
    schema_version: "1.0",
    step_nonce: data.observation.step_nonce,
    candidate_id: keep.candidate_id,
    action_type: "KEEP_REGIMEN",
    rationale: "",
    evidence_ids: [],
    confidence: 0.5,
  };
  return clientFrame(JSON.stringify({ type: "step", data: action }));
}

async function runWebSocket(load: LoadRequest): Promise<LoadResult> {
  const frames = load.frames.map(clientFrame);
  const reset = clientFrame(load.resetFrame);
  const resetWhen = Buffer.from(load.resetWhen);
  const errorMark = Buffer.from('"type":"error"');
  const errorMarkSpaced = Buffer.from('"type": "error"');
  const latencies: number[] = [];
  let counting = false;
  let running = true;
  let errors = 0;
  // Opened in small groups: a listen backlog of a peer is not what is measured.
  const sockets: LeanSocket[] = [];
  while (sockets.length < load.sessions) {
    const group = Math.min(32, load.sessions - sockets.length);
    sockets.push(
      ...(await Promise.all(Array.from({ length: group }, () => LeanSocket.open("127.0.0.1", load.port, load.path)))),
    );
  }
  sockets.forEach((socket, index) => {
    let at = index;
    let sent = performance.now();
    let isReset = true;
    socket.onText = (payload) => {
      const now = performance.now();
      if (payload.subarray(0, 40).includes(errorMark) || payload.subarray(0, 40).includes(errorMarkSpaced)) errors++;
      if (counting && !isReset) latencies.push(now - sent);
      if (!running) return;
      sent = now;
      isReset = load.resetWhen !== "" && payload.includes(resetWhen);
      if (isReset) socket.socket.write(reset);
      else if (load.agent === "polyguard") socket.socket.write(keepFrame(payload));
      else {
        at = (at + 1) % frames.length;
        socket.socket.write(frames[at]!);
      }
    };
    socket.socket.write(reset);
  });
  await new Promise((resolve) => setTimeout(resolve, load.warmupMs));
  counting = true;
  const begun = performance.now();
  await new Promise((resolve) => setTimeout(resolve, load.durationMs));
  counting = false;
  const seconds = (performance.now() - begun) / 1000;
  running = false;
  for (const socket of sockets) socket.socket.destroy();
  return summary(latencies, seconds, errors);
}

async function runHttp(load: LoadRequest): Promise<LoadResult> {
  const { Agent } = await import("node:http");
  const agent = new Agent({ keepAlive: true, maxSockets: load.sessions });
  const latencies: number[] = [];
  let counting = false;
  let running = true;
  let errors = 0;
  const once = (): Promise<void> =>
    new Promise((resolve) => {
      const sent = performance.now();
      const call = request(
        {
          agent,
          host: "127.0.0.1",
          port: load.port,
          path: load.path,
          method: load.resetFrame === "" ? "GET" : "POST",
          headers: { "content-type": "application/json" },
        },
        (reply) => {
          reply.resume();
          reply.on("end", () => {
            if (reply.statusCode !== 200) errors++;
            if (counting) latencies.push(performance.now() - sent);
            resolve();
          });
        },
      );
      call.on("error", () => {
        errors++;
        resolve();
      });
      call.end(load.resetFrame);
    });
  const workers = Array.from({ length: load.sessions }, async () => {
    while (running) await once();
  });
  await new Promise((resolve) => setTimeout(resolve, load.warmupMs));
  counting = true;
  const begun = performance.now();
  await new Promise((resolve) => setTimeout(resolve, load.durationMs));
  counting = false;
  const seconds = (performance.now() - begun) / 1000;
  running = false;
  await Promise.all(workers);
  agent.destroy();
  return summary(latencies, seconds, errors);
}

function summary(latencies: number[], seconds: number, errors: number): LoadResult {
  const sorted = Float64Array.from(latencies).sort();
  const at = (p: number): number =>
    sorted.length === 0 ? Number.NaN : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))]!;
  return { steps: sorted.length, seconds, perSecond: sorted.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99), errors };
}

const load = JSON.parse(process.argv[2]!) as LoadRequest;
const result = load.kind === "ws" ? await runWebSocket(load) : await runHttp(load);
process.stdout.write(JSON.stringify(result));
