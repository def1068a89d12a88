import { Rng } from "@praxis/env";
import { Tape } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { beforeAll, expect, test } from "vitest";
import { loadOnnxRuntime } from "../../nn/test/onnx-runtime.ts";
import { cartPole } from "../src/envs/cart-pole.ts";
import { exportPolicyOnnx } from "../src/export-onnx.ts";
import { Ppo } from "../src/ppo.ts";

const { kernels } = await selectKernels("wasm");

const runtime = await loadOnnxRuntime();
const ort = runtime!;

beforeAll(() => {
  if (runtime === null) return;
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
});

const small = { numEnvs: 4, numSteps: 16, minibatchSize: 32, hiddenSizes: [8], normalizeObservations: true };

test.skipIf(runtime === null)(
  "a trained recurrent policy in onnxruntime (.ci/run installs it) answers as ours does, step after step, normaliser included",
  async () => {
    const settings = { ...small, policy: "lstm", lstmHidden: 6, lstmLayers: 2, epochs: 2 } as const;
    const ppo = new Ppo({ definition: cartPole, kernels, seed: 1, settings });
    for (let i = 0; i < 3; i++) await ppo.iterate();
    const { policy, observationNormalizer } = ppo;
    const session = await ort.InferenceSession.create(exportPolicyOnnx(policy, observationNormalizer));
    const rng = Rng.fromSeed(2);
    const batch = 3;
    let state = policy.initialState(batch);
    let theirs: { hiddenState: Float32Array; cellState: Float32Array } = {
      hiddenState: new Float32Array(2 * batch * 6),
      cellState: new Float32Array(2 * batch * 6),
    };
    for (let step = 0; step < 4; step++) {
      const raw = Float32Array.from({ length: batch * 4 }, () => rng.normal());
      const tape = new Tape(kernels, { recording: false });
      const observations = tape.copy(observationNormalizer!.apply(raw));
      const ours = policy.forwardActor(tape, { steps: 1, batch, observations, starts: [0, 0, 0], state });
      state = ours.state;
      const result = await session.run({
        observation: new ort.Tensor("float32", raw, [1, batch, 4]),
        hiddenState: new ort.Tensor("float32", theirs.hiddenState, [2, batch, 6]),
        cellState: new ort.Tensor("float32", theirs.cellState, [2, batch, 6]),
      });
      const read = (name: string): Float32Array => result[name]!.data as Float32Array;
      theirs = { hiddenState: read("nextHiddenState"), cellState: read("nextCellState") };
      read("logits").forEach((x, i) => {
        expect(x).toBeCloseTo(ours.logits.data[i]!, 5);
      });
    }
  },
);

test.skipIf(runtime === null)("a feed-forward policy needs its observation only", async () => {
  const ppo = new Ppo({ definition: cartPole, kernels, seed: 1, settings: { ...small, normalizeObservations: false } });
  const session = await ort.InferenceSession.create(exportPolicyOnnx(ppo.policy, null));
  expect(session.inputNames).toEqual(["observation"]);
  expect(session.outputNames).toEqual(["logits"]);
  const result = await session.run({
    observation: new ort.Tensor("float32", Float32Array.of(0.1, 0, 0, 0), [1, 1, 4]),
  });
  const tape = new Tape(kernels, { recording: false });
  const observations = tape.copy([0.1, 0, 0, 0]);
  const ours = ppo.policy.forwardActor(tape, { steps: 1, batch: 1, observations, starts: [0], state: null });
  expect((result.logits!.data as Float32Array)[0]).toBeCloseTo(ours.logits.data[0]!, 6);
});
