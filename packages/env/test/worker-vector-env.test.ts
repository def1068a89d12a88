import { describe, expect, test } from "vitest";
import { gridEnv, toolEnv } from "../src/testing/index.ts";
import { LocalVectorEnv } from "../src/vector/local-vector-env.ts";
import type { VectorEnv } from "../src/vector/vector-env.ts";
import { makeWorkerVectorEnv, type WorkerVectorEnvOptions } from "../src/worker/worker-vector-env.ts";

// Workers load compiled code: `npm run build` first.
const TESTING = new URL("../dist/testing/index.js", import.meta.url);
const BROKEN = new URL("./broken-worker-envs.mjs", import.meta.url);

const make = (options: Partial<WorkerVectorEnvOptions>) =>
  makeWorkerVectorEnv<unknown, unknown>({
    moduleUrl: TESTING,
    exportName: "gridEnv",
    numEnvs: 5,
    numWorkers: 2,
    ...options,
  });

async function whileOpen<T>(vector: VectorEnv, work: (vector: VectorEnv) => Promise<T>): Promise<T> {
  try {
    return await work(vector);
  } finally {
    await vector.close();
  }
}

/** All results of a fixed run: seeded and unseeded resets, a reset by mask, many steps. */
async function playAll(vector: VectorEnv, action: (t: number, i: number) => unknown): Promise<unknown[]> {
  const results: unknown[] = [await vector.reset(), await vector.reset({ seed: 9 })];
  const mask = Array.from({ length: vector.numEnvs }, (_, i) => i % 2 === 0);
  for (let t = 0; t < 30; t++) {
    results.push(await vector.step(Array.from({ length: vector.numEnvs }, (_, i) => action(t, i))));
    if (t === 4) results.push(await vector.reset({ mask }));
  }
  return results;
}

describe("results", () => {
  test.each([1, 2, 3, 5])(
    "%i workers give the results of a local vector environment, byte for byte",
    async (numWorkers) => {
      for (const autoreset of ["sameStep", "nextStep"] as const) {
        const direction = (t: number, i: number) => (t * 3 + i) % 4;
        const local = new LocalVectorEnv(gridEnv, { numEnvs: 5, autoreset, seed: 2 });
        const expected = await playAll(local as VectorEnv, direction);
        const workers = await make({ numWorkers, autoreset, seed: 2 });
        expect(workers.observationSize).toBe(4);
        expect(await whileOpen(workers, (vector) => playAll(vector, direction))).toEqual(expected);
      }
    },
  );

  test("observations that are records arrive as in a local one", async () => {
    const action = (t: number, i: number) => ({ amount: 1 + ((t + i) % 5) });
    const expected = await playAll(new LocalVectorEnv(toolEnv, { numEnvs: 5 }) as VectorEnv, action);
    const workers = await make({ exportName: "toolEnv" });
    expect(workers.observationSize).toBeNull();
    expect(await whileOpen(workers, (vector) => playAll(vector, action))).toEqual(expected);
  });
});

test.each([1, 2, 5])(
  "what a local vector saved goes on in %i workers as in itself, and the other way",
  async (numWorkers) => {
    const direction = (t: number, i: number) => (t * 3 + i) % 4;
    const play = async (vector: VectorEnv): Promise<unknown[]> => {
      const steps = [];
      for (let t = 0; t < 20; t++) steps.push(await vector.step(Array.from({ length: 5 }, (_, i) => direction(t, i))));
      return steps;
    };
    const local = new LocalVectorEnv(gridEnv, { numEnvs: 5, seed: 2 }) as VectorEnv;
    await local.reset({ seed: 3 });
    await play(local);
    const saved = await local.save();
    await whileOpen(await make({ numWorkers }), async (vector) => {
      const here = await vector.restore(saved);
      expect(await vector.save()).toEqual(saved);
      expect(await local.restore(saved)).toEqual(here);
      expect(await play(vector)).toEqual(await play(local));
      await expect(vector.restore(saved.slice(1))).rejects.toThrow("4 environments were saved, this vector has 5");
    });
  },
);

test("options set between steps hold for episodes that begin then, in workers as in a local vector, and are saved", async () => {
  const corners = { split: "corners", index: 1 };
  const play = async (vector: VectorEnv): Promise<unknown[]> => {
    await expect((async () => vector.setResetOptions(corners))()).rejects.toThrow("hand the options to reset");
    await vector.reset({ seed: 4 });
    await vector.setResetOptions(corners);
    const steps = [];
    for (let t = 0; t < 40; t++) {
      const step = await vector.step(Array.from({ length: 5 }, (_, i) => (t * 3 + i) % 4));
      const begun = [...step.episodeStarts].flatMap((isStart, i) => (isStart ? [i] : []));
      for (const i of begun)
        expect([...(step.observations as Float32Array).subarray(4 * i, 4 * i + 4)]).toEqual([1, 0, 0, 1]);
      steps.push(begun, step);
    }
    const saved = await vector.save();
    expect(saved.map(({ resetOptions }) => resetOptions)).toEqual(new Array(5).fill(corners));
    return steps;
  };
  const expected = await play(new LocalVectorEnv(gridEnv, { numEnvs: 5, seed: 2 }) as VectorEnv);
  expect(expected.flat().length).toBeGreaterThan(40);
  expect(await whileOpen(await make({}), play)).toEqual(expected);
});

test("the export may be a function that makes the definition", async () => {
  const workers = await make({ moduleUrl: BROKEN, exportName: "makeStaying", numEnvs: 2 });
  await whileOpen(workers, async (vector) => {
    expect((await vector.reset()).infos).toEqual([{ made: true }, { made: true }]);
  });
});

describe("errors", () => {
  test("an environment that fails is named by its index in the whole, whatever worker runs it, and the vector goes on after a reset", async () => {
    await whileOpen(await make({}), async (vector) => {
      await vector.reset({ seed: 1 });
      const error = {
        code: "ENVIRONMENT_ERROR",
        message: expect.stringMatching(/^Environment 3: /),
        details: { envIndex: 3 },
      };
      await expect(vector.step([0, 0, 0, 77, 88])).rejects.toMatchObject(error);
      const local = new LocalVectorEnv(gridEnv, { numEnvs: 5 });
      local.reset({ seed: 1 });
      expect(() => local.step([0, 0, 0, 77, 88])).toThrow(expect.objectContaining(error));
      await expect(vector.step([0, 0, 0, 0, 0])).rejects.toMatchObject({ code: "RESET_NEEDED" });
      await vector.reset({ seed: 1 });
      local.reset({ seed: 1 });
      expect(await vector.step([0, 1, 2, 3, 0])).toEqual(local.step([0, 1, 2, 3, 0]));
    });
  });

  test("one call at a time: a second is refused while the first is at work", async () => {
    await whileOpen(await make({}), async (vector) => {
      const first = vector.reset({ seed: 1 });
      await expect(vector.step([0, 0, 0, 0, 0])).rejects.toMatchObject({ code: "SESSION_BUSY" });
      expect((await first).infos).toHaveLength(5);
    });
  });

  test("a worker that ends is a typed error for the call at work and for all that follow, and closing ends the rest", async () => {
    const vector = await make({ moduleUrl: BROKEN, exportName: "exiting", numEnvs: 3, numWorkers: 3 });
    await vector.reset();
    const died = {
      code: "WORKER_DIED",
      message: "Worker 2 of 3, environments 1 to 1, ended with exit code 7.",
    };
    await expect(vector.step(["stay", "exit", "stay"])).rejects.toMatchObject(died);
    await expect(vector.reset()).rejects.toMatchObject(died);
    await vector.close();
    await expect(vector.reset()).rejects.toMatchObject({
      message: "The vector environment is closed. Make a new one.",
    });
  });

  test("an error outside of any call, and a result that can't cross threads, are told", async () => {
    const vector = await make({ moduleUrl: BROKEN, exportName: "exiting", numEnvs: 1, numWorkers: 1 });
    await vector.reset();
    await expect(vector.step(["function"])).rejects.toMatchObject({
      code: "ENVIRONMENT_ERROR",
      message: expect.stringContaining("could not be cloned"),
    });
    await vector.reset();
    await vector.step(["throw later"]);
    const died = { code: "WORKER_DIED", message: "Worker 1 of 1, environments 0 to 0, failed: thrown later" };
    // The thread ends soon after it has answered; a call is refused then, whether it was sent before or after.
    await expect(
      (async () => {
        for (;;) await vector.step(["stay"]);
      })(),
    ).rejects.toMatchObject(died);
    await vector.close();
  });

  test.each([
    [{ exportName: "noSuchEnv" }, "exports no environment definition 'noSuchEnv'"],
    [{ moduleUrl: new URL("./no-such-module.js", import.meta.url) }, "Cannot find module"],
    [{ moduleUrl: BROKEN, exportName: "unmakeable" }, "can't be made"],
    [{ numWorkers: 6 }, "numWorkers must be an integer from 1 to 5, not 6."],
    [{ numWorkers: 0 }, "numWorkers must be an integer from 1 to 5, not 0."],
    [{ numEnvs: 0 }, "numEnvs must be a positive integer, not 0."],
  ])("%o is refused when it is made", async (options, message) => {
    await expect(make(options)).rejects.toThrow(message);
  });
});

test("an environment that fails to close is told, and the threads end all the same", async () => {
  const vector = await make({ moduleUrl: BROKEN, exportName: "unclosable", numEnvs: 2 });
  await expect(vector.close()).rejects.toMatchObject({ message: "Environment 0: stuck", details: { envIndex: 0 } });
  await vector.close();
});
