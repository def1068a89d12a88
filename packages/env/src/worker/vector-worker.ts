import { parentPort, workerData } from "node:worker_threads";
import { PraxisError } from "../errors.ts";
import { EnvChunk, type SyncEnvDefinition } from "../vector/env-chunk.ts";
import { packError, type WorkerCall, type WorkerReady, type WorkerReply, type WorkerSetup } from "./protocol.ts";

// The body of a worker thread: it makes its share of the environments, says so, then answers calls in order.

async function loadDefinition({ moduleUrl, exportName }: WorkerSetup): Promise<SyncEnvDefinition> {
  const loaded = (await import(moduleUrl)) as Readonly<Record<string, unknown>>;
  const exported = loaded[exportName];
  const definition = (typeof exported === "function" ? exported() : exported) as Partial<SyncEnvDefinition> | undefined;
  if (typeof definition?.makeEnv === "function") return definition as SyncEnvDefinition;
  throw new PraxisError("INVALID_CONFIG", `'${moduleUrl}' exports no environment definition '${exportName}'.`);
}

function answer(chunk: EnvChunk<unknown, unknown>, call: WorkerCall): unknown {
  switch (call.kind) {
    case "reset":
      return chunk.reset(call.request);
    case "step":
      return chunk.step(call.actions);
    case "save":
      return chunk.save();
    case "restore":
      return chunk.restore(call.saved);
    case "close":
      return chunk.close();
  }
}

const port = parentPort;
if (port === null) throw new PraxisError("INVALID_CONFIG", "This module runs in a worker thread only.");

/** Posts a reply; a result that can't be cloned (a function in an info) becomes an error reply. */
function reply(make: () => unknown): void {
  try {
    port!.postMessage({ ok: true, result: make() } satisfies WorkerReply);
  } catch (error) {
    port!.postMessage({ ok: false, error: packError(error) } satisfies WorkerReply);
  }
}

const setup = workerData as WorkerSetup;
let chunk: EnvChunk<unknown, unknown> | null = null;
try {
  chunk = new EnvChunk(await loadDefinition(setup), setup);
} catch (error) {
  reply(() => {
    throw error;
  });
}
if (chunk !== null) {
  const made = chunk;
  reply((): WorkerReady => ({ observationSize: made.observationSize }));
  port.on("message", (call: WorkerCall) => {
    reply(() => answer(made, call));
    if (call.kind === "close") port.close();
  });
}
