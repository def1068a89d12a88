import { parentPort } from "node:worker_threads";
import { PraxisError } from "@praxis/env";
import { makeSyncEnv } from "@praxis/eval";
import { loadPolyGuard } from "@praxis/polyguard";
import { playUnit, type UnitPlan } from "@praxis/polyguard/data";

// The body of a worker thread: plays the episodes of the plans that it is sent, one after another.

const port = parentPort;
if (port === null) throw new PraxisError("INVALID_CONFIG", "This module runs in a worker thread only.");
const env = makeSyncEnv(loadPolyGuard());
port.on("message", async (plan: UnitPlan) => {
  // An error ends the worker, which tells its owner.
  port.postMessage(await playUnit(env, plan));
});
