import { PraxisError } from "@praxis/env";
import { allInOrder, type DefinitionSource, shareOf, WorkerThread } from "@praxis/env/worker";
import type { KernelName, Module } from "@praxis/nn";
import type { GroupWorkerCall, GroupWorkerSetup } from "./group-worker.ts";
import { type GroupBatch, type GroupPlan, joinBatches } from "./groups.ts";
import type { GroupCollector } from "./grpo.ts";
import type { SmallAgentSettings } from "./small-agent.ts";

const WORKER_URL = new URL("../dist/group-worker.js", import.meta.url);

/** Settings of {@link makeGroupWorkers}. */
export interface GroupWorkersOptions extends DefinitionSource {
  readonly numWorkers: number;
  /** The set that the trainer computes with. */
  readonly kernels: KernelName;
  /** Those that the trainer's own agent was made with. */
  readonly settings: SmallAgentSettings;
}

/** Collects groups in worker threads: each a run of neighbours, joined in order, so that their number changes nothing. */
export class GroupWorkers implements GroupCollector<unknown> {
  readonly #threads: readonly WorkerThread<GroupWorkerSetup, null, GroupWorkerCall>[];

  constructor(threads: readonly WorkerThread<GroupWorkerSetup, null, GroupWorkerCall>[]) {
    this.#threads = threads;
  }

  async collect(plan: GroupPlan, policy: Module): Promise<GroupBatch<unknown>> {
    const weights = policy.parameters().map(({ data }) => data.slice());
    const packed = { ...plan, rng: plan.rng.save() };
    const batches = await allInOrder(
      this.#threads.map((thread, i) => {
        const { start, count } = shareOf(plan.groups.length, this.#threads.length, i);
        const groups = plan.groups.slice(start, start + count);
        return thread.call({ kind: "collect", plan: { ...packed, groups }, weights }) as Promise<GroupBatch<unknown>>;
      }),
    );
    return joinBatches(batches);
  }

  async close(): Promise<void> {
    try {
      await allInOrder(this.#threads.map((thread) => thread.close({ kind: "close" })));
    } finally {
      await Promise.all(this.#threads.map((thread) => thread.terminate()));
    }
  }
}

/** Starts the threads. Throws INVALID_CONFIG for a number below 1 or a module without the definition. */
export async function makeGroupWorkers(options: GroupWorkersOptions): Promise<GroupWorkers> {
  const { numWorkers, moduleUrl, exportName, kernels, settings } = options;
  if (!(Number.isSafeInteger(numWorkers) && numWorkers >= 1))
    throw new PraxisError("INVALID_CONFIG", `numWorkers must be a positive integer, not ${numWorkers}.`);
  const threads = Array.from(
    { length: numWorkers },
    (_, i) =>
      new WorkerThread<GroupWorkerSetup, null, GroupWorkerCall>(
        WORKER_URL,
        { moduleUrl, exportName, kernels, settings },
        `Worker ${i + 1} of ${numWorkers}`,
      ),
  );
  try {
    await allInOrder(threads.map(({ ready }) => ready));
    return new GroupWorkers(threads);
  } catch (error) {
    await Promise.all(threads.map((thread) => thread.terminate()));
    throw error;
  }
}
