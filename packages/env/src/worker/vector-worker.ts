import { EnvChunk } from "../vector/env-chunk.ts";
import type { WorkerCall, WorkerReady, WorkerSetup } from "./protocol.ts";
import { importDefinition, serveCalls } from "./serve-calls.ts";

// The body of a worker thread of a vector environment: it makes its share of the environments and plays them.

function answer(chunk: EnvChunk<unknown, unknown>, call: WorkerCall): unknown {
  switch (call.kind) {
    case "reset":
      return chunk.reset(call.request);
    case "step":
      return chunk.step(call.actions);
    case "setResetOptions":
      return chunk.setResetOptions(call.options);
    case "save":
      return chunk.save();
    case "restore":
      return chunk.restore(call.saved);
    case "close":
      return chunk.close();
  }
}

await serveCalls<WorkerSetup, WorkerCall, WorkerReady>(async (setup) => {
  const chunk = new EnvChunk(await importDefinition(setup), setup);
  return { ready: { observationSize: chunk.observationSize }, answer: (call) => answer(chunk, call) };
});
