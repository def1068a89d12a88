import { LocalVectorEnv, Rng } from "@praxis/env";
import { gridEnv } from "@praxis/env/testing";
import { makeWorkerVectorEnv } from "@praxis/env/worker";
import { selectKernels } from "@praxis/nn/node";
import { expect, test } from "vitest";
import { makeGroupWorkers } from "../src/group-workers.ts";
import { Grpo } from "../src/grpo.ts";
import { Ppo, type PpoMetrics } from "../src/ppo.ts";
import { makeSmallAgent, smallAgentSettings } from "../src/small-agent.ts";

// Worker threads run compiled code.
const moduleUrl = new URL("../../env/dist/testing/index.js", import.meta.url);
const { kernels } = await selectKernels("wasm");
const settings = { numEnvs: 4, numSteps: 16, minibatchSize: 32, epochs: 2, hiddenSizes: [8] };

test("one, two or four worker threads give the rows and weights of none, bit for bit", async () => {
  const run = async (numWorkers: number): Promise<{ rows: PpoMetrics[]; weights: Float32Array[] }> => {
    const vectorEnv =
      numWorkers === 0
        ? new LocalVectorEnv(gridEnv, { numEnvs: 4, seed: 1 })
        : await makeWorkerVectorEnv({ moduleUrl, exportName: "gridEnv", numEnvs: 4, numWorkers, seed: 1 });
    const ppo = new Ppo({ definition: gridEnv, kernels, seed: 1, settings, vectorEnv });
    try {
      const rows = [];
      for (let i = 0; i < 4; i++) rows.push(await ppo.iterate());
      return { rows, weights: ppo.policy.parameters().map(({ data }) => data.slice()) };
    } finally {
      await ppo.close();
    }
  };
  const local = await run(0);
  for (const numWorkers of [1, 2, 4]) expect(await run(numWorkers)).toEqual(local);
});

test("ten iterations, a resume with another number of workers and ten more equal twenty without any", async () => {
  const make = async (numWorkers: number): Promise<Ppo> => {
    const vectorEnv =
      numWorkers === 0
        ? undefined
        : await makeWorkerVectorEnv({ moduleUrl, exportName: "gridEnv", numEnvs: 4, numWorkers, seed: 1 });
    const options = { definition: gridEnv, kernels, seed: 1, settings };
    return new Ppo(vectorEnv === undefined ? options : { ...options, vectorEnv });
  };
  const iterate = async (ppo: Ppo, times: number): Promise<PpoMetrics[]> => {
    const rows = [];
    for (let i = 0; i < times; i++) rows.push(await ppo.iterate());
    return rows;
  };
  const whole = await make(0);
  const rows = await iterate(whole, 20);
  const first = await make(2);
  const resumed = await make(4);
  try {
    expect(await iterate(first, 10)).toEqual(rows.slice(0, 10));
    await resumed.restore(await first.save());
    expect(await iterate(resumed, 10)).toEqual(rows.slice(10));
    expect(await resumed.save()).toEqual(await whole.save());
  } finally {
    await first.close();
    await resumed.close();
  }
});

test("GRPO has the batches and weights of one thread, bit for bit, with one, two or four workers", async () => {
  for (const network of [{}, { policy: "lstm", lstmHidden: 8 } as const]) {
    const agentSettings = smallAgentSettings.parse({ hiddenSizes: [8], ...network });
    const run = async (numWorkers: number) => {
      const agent = makeSmallAgent(gridEnv, { kernels, rng: Rng.fromSeed(1), settings: agentSettings });
      const source = { moduleUrl: moduleUrl.href, exportName: "gridEnv", kernels: kernels.name };
      const collector =
        numWorkers === 0 ? null : await makeGroupWorkers({ ...source, numWorkers, settings: agentSettings });
      const grpoSettings = { groupsPerIteration: 6, groupSize: 4, forkAt: "anywhere", learningRate: 0.01 } as const;
      const options = { definition: gridEnv, ...agent, kernels, seed: 2, settings: grpoSettings };
      const grpo = new Grpo(collector === null ? options : { ...options, collector });
      try {
        const rows = [];
        for (let i = 0; i < 4; i++) rows.push(await grpo.iterate());
        return { rows, saved: grpo.save() };
      } finally {
        await collector?.close();
      }
    };
    const local = await run(0);
    expect(new Set(local.rows.map(({ batchHash }) => batchHash)).size).toBe(4);
    for (const numWorkers of [1, 2, 4]) expect(await run(numWorkers)).toEqual(local);
  }
});

test("group workers that can't be had are refused with the reason", async () => {
  const settings = smallAgentSettings.parse({});
  const source = { moduleUrl: moduleUrl.href, kernels: kernels.name, settings };
  await expect(makeGroupWorkers({ ...source, exportName: "gridEnv", numWorkers: 0 })).rejects.toThrow("not 0");
  await expect(makeGroupWorkers({ ...source, exportName: "noEnv", numWorkers: 2 })).rejects.toThrow(
    "exports no environment definition 'noEnv'",
  );
});
