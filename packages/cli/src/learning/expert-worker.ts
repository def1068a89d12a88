import { parentPort } from "node:worker_threads";
import { PraxisError } from "@praxis/env";
import type { ExpertPlan } from "@praxis/polyguard/data";
import { ExpertPlayer } from "./play-experts.ts";

// The body of a worker thread: plays the plans that it is sent, one after another.

const port = parentPort;
if (port === null) throw new PraxisError("INVALID_CONFIG", "This module runs in a worker thread only.");
const player = new ExpertPlayer();
let last: Promise<unknown> = Promise.resolve();
port.on("message", (plan: ExpertPlan) => {
  // One after the other: they share an environment. An error ends the worker, which tells its owner.
  last = last.then(async () => port.postMessage(await player.play(plan)));
});
