import { parentPort } from "node:worker_threads";
import { canonicalJson, type Policy, PraxisError } from "@praxis/env";
import { loadBank, ShiftStage } from "@praxis/spindleflow";
import { loadOrchestrator } from "./orchestrator.ts";
import type { ShiftAnswer, ShiftJob } from "./shift-jobs.ts";

// The body of a worker thread: plays the shifts that it is sent, one job after another.

const port = parentPort;
if (port === null) throw new PraxisError("INVALID_CONFIG", "This module runs in a worker thread only.");
const stages = new Map<string, ShiftStage>();
const orchestrators = new Map<string, Policy>();

function stageOf({ sector, settings }: ShiftJob): ShiftStage {
  const key = canonicalJson({ sector, settings });
  const stage = stages.get(key) ?? new ShiftStage(loadBank(sector), settings);
  stages.set(key, stage);
  return stage;
}

async function playerOf({ player }: ShiftJob): Promise<string | Policy> {
  if ("script" in player) return player.script;
  const key = canonicalJson(player);
  const policy = orchestrators.get(key) ?? (await loadOrchestrator(player.folder, player));
  orchestrators.set(key, policy);
  return policy;
}

let last: Promise<unknown> = Promise.resolve();
port.on("message", (job: ShiftJob) => {
  // One after the other; an error ends the worker, which tells its owner.
  last = last.then(async () => {
    const [stage, player] = [stageOf(job), await playerOf(job)];
    const shifts = job.seeds.map((seed) => stage.play(player, { seed, options: job.options }));
    port.postMessage({ id: job.id, shifts } satisfies ShiftAnswer);
  });
});
