import { Rng } from "@praxis/env";
import { Tape } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { loadOnnxRuntime } from "../../nn/test/onnx-runtime.ts";
import type { ActorCritic } from "../src/actor-critic.ts";
import { exportPolicyOnnx } from "../src/export-onnx.ts";
import type { ObservationBlock } from "../src/observation-blocks.ts";
import { Ppo, type PpoMetrics } from "../src/ppo.ts";
import type { PpoSettingsInput } from "../src/ppo-settings.ts";
import { makeProbe } from "./probe-envs.ts";

const { kernels } = await selectKernels("wasm");
const runtime = await loadOnnxRuntime();
beforeAll(() => {
  if (runtime === null) return;
  runtime.env.wasm.numThreads = 1;
  runtime.env.logLevel = "error";
});

const ITEMS = 4;
const BLOCKS: readonly ObservationBlock[] = [
  { kind: "flat", name: "patient", size: 2 },
  { kind: "set", name: "labs", items: ITEMS, features: 3 },
  { kind: "graph", name: "drugs", nodes: ITEMS, features: 2, relations: 2 },
];
const SIZE = 2 + ITEMS * 4 + ITEMS * 3 + 2 * ITEMS * ITEMS;

interface Parts {
  readonly flat: number[];
  readonly labs: { exists: number; features: number[] }[];
  readonly drugs: { exists: number; features: number[] }[];
  /** [relation][to][from] */
  readonly edges: number[][][];
}

function drawParts(rng: Rng): Parts {
  const items = (features: number) =>
    Array.from({ length: ITEMS }, () => ({
      exists: rng.uniform() < 0.7 ? 1 : 0,
      features: Array.from({ length: features }, () => rng.normal()),
    }));
  const drugs = items(2);
  const edges = Array.from({ length: 2 }, () =>
    Array.from({ length: ITEMS }, (_, to) =>
      Array.from({ length: ITEMS }, (_, from) => {
        const weight = rng.uniform() < 0.5 ? rng.uniform() : 0;
        return drugs[to]!.exists * drugs[from]!.exists * weight;
      }),
    ),
  );
  return { flat: [rng.normal(), rng.normal()], labs: items(3), drugs, edges };
}

function toNumbers({ flat, labs, drugs, edges }: Parts): number[] {
  const items = (list: Parts["labs"]) => [...list.map(({ exists }) => exists), ...list.flatMap((x) => x.features)];
  return [...flat, ...items(labs), ...items(drugs), ...edges.flat(2)];
}

/** The same patient with labs and drugs in another order. */
function permute(parts: Parts, order: readonly number[]): Parts {
  const move = <T>(list: readonly T[]): T[] => order.map((i) => list[i]!);
  return {
    ...{ flat: parts.flat, labs: move(parts.labs), drugs: move(parts.drugs) },
    edges: parts.edges.map((relation) => move(relation).map(move)),
  };
}

/** One point for saying whether more than half of the labs' first numbers are positive. */
const wardProbe = makeProbe<{ parts: Parts }>({
  name: "Ward",
  observationSize: SIZE,
  actionSpace: { kind: "discrete", n: 2 },
  begin: (uniform) => ({ parts: drawParts(Rng.fromSeed(Math.floor(uniform() * 2 ** 32))) }),
  observe: ({ parts }) => toNumbers(parts),
  step: (state, action, stepCount) => {
    const sum = state.parts.labs.reduce((total, { exists, features }) => total + exists * features[0]!, 0);
    return { state, reward: action === (sum > 0 ? 1 : 0) ? 1 : -1, terminated: stepCount === 2 };
  },
});

const SMALL: PpoSettingsInput = {
  ...{ numEnvs: 8, numSteps: 16, minibatchSize: 64, epochs: 2, hiddenSizes: [16], learningRate: 3e-3 },
  ...{ observationBlocks: BLOCKS as never, encoderWidth: 8, encoderHeads: 2 },
};
const VARIANTS: Record<string, PpoSettingsInput> = {
  "feed-forward, convolution": {},
  "feed-forward, attention, two layers": { graphEncoder: "attention", encoderLayers: 2 },
  "with an LSTM": { policy: "lstm", lstmHidden: 6, sequenceLength: 8 },
  "with a memory per item": { itemMemory: 5, sequenceLength: 8 },
  "with both memories": { itemMemory: 5, policy: "lstm", lstmHidden: 6, lstmLayers: 2, sequenceLength: 8 },
};

function make(settings: PpoSettingsInput): Ppo {
  return new Ppo({ definition: wardProbe, kernels, seed: 2, settings: { ...SMALL, ...settings } });
}

async function iterate(ppo: Ppo, times: number): Promise<PpoMetrics[]> {
  const rows = [];
  for (let i = 0; i < times; i++) rows.push(await ppo.iterate());
  return rows;
}

/** Logits and values over three steps of one episode. */
function answers(policy: ActorCritic, steps: readonly Parts[]): number[] {
  let state = policy.initialState(1);
  return steps.flatMap((parts, t) => {
    const tape = new Tape(kernels, { recording: false });
    const observations = tape.copy(toNumbers(parts));
    const output = policy.forward(tape, { steps: 1, batch: 1, observations, starts: [t === 0 ? 1 : 0], state });
    state = output.state;
    return [...output.logits.data, ...output.values.data];
  });
}

for (const [name, settings] of Object.entries(VARIANTS)) {
  test(`moving items about, with mask and edges, changes nothing that the policy says (${name})`, async () => {
    const ppo = make(settings);
    await iterate(ppo, 1);
    fc.assert(
      fc.property(
        fc.nat(1e6),
        fc.shuffledSubarray([0, 1, 2, 3], { minLength: ITEMS, maxLength: ITEMS }),
        (seed, order) => {
          const rng = Rng.fromSeed(seed);
          const steps = [drawParts(rng), drawParts(rng), drawParts(rng)];
          const moved = answers(
            ppo.policy,
            steps.map((parts) => permute(parts, order)),
          );
          answers(ppo.policy, steps).forEach((x, i) => {
            expect(moved[i]).toBeCloseTo(x, 4);
          });
        },
      ),
      { numRuns: 15 },
    );
  });

  test(`before the first update every ratio is 1, and a resume goes on with the same curve (${name})`, async () => {
    const whole = make(settings);
    const rows = await iterate(whole, 3);
    const first = make({ ...settings, epochs: 1, minibatchSize: 128 });
    const [row] = await iterate(first, 1);
    expect(row!["losses/approx_kl"]).toBeCloseTo(0, 10);
    const half = make(settings);
    await iterate(half, 1);
    const resumed = make(settings);
    await resumed.restore(await half.save());
    expect(await iterate(resumed, 2)).toEqual(rows.slice(1));
    expect(await resumed.save()).toEqual(await whole.save());
  });

  test.skipIf(runtime === null)(
    `a structured policy in onnxruntime (.ci/run installs it) answers as ours does, step after step (${name})`,
    async () => {
      const ort = runtime!;
      const ppo = make(settings);
      await iterate(ppo, 1);
      const session = await ort.InferenceSession.create(exportPolicyOnnx(ppo.policy, null));
      const batch = 2;
      let state = ppo.policy.initialState(batch);
      const sizes = { hiddenState: [2, batch, 6], cellState: [2, batch, 6] } as Record<string, number[]>;
      const sizeOf = (input: string): number[] =>
        sizes[input] === undefined ? [1, batch * ITEMS, 5] : [settings.lstmLayers ?? 1, batch, 6];
      const names = session.inputNames.filter((input) => input !== "observation");
      expect(names.length).toBe((settings.policy === "lstm" ? 2 : 0) + (settings.itemMemory === undefined ? 0 : 4));
      const zeros = (shape: readonly number[]) =>
        new ort.Tensor("float32", new Float32Array(shape.reduce((a, b) => a * b, 1)), [...shape]);
      let feeds = Object.fromEntries(names.map((input) => [input, zeros(sizeOf(input))]));
      const rng = Rng.fromSeed(4);
      for (let step = 0; step < 3; step++) {
        const raw = Float32Array.from([...toNumbers(drawParts(rng)), ...toNumbers(drawParts(rng))]);
        const tape = new Tape(kernels, { recording: false });
        const input = { steps: 1, batch, observations: tape.copy(raw), starts: [0, 0], state };
        const ours = ppo.policy.forwardActor(tape, input);
        state = ours.state;
        const result = await session.run({ ...feeds, observation: new ort.Tensor("float32", raw, [1, batch, SIZE]) });
        feeds = Object.fromEntries(
          names.map((each) => [each, result[`next${each[0]!.toUpperCase()}${each.slice(1)}`]!]),
        ) as typeof feeds;
        (result.logits!.data as Float32Array).forEach((x, i) => {
          expect(x).toBeCloseTo(ours.logits.data[i]!, 5);
        });
      }
    },
  );
}

test("what depends on a set as a whole is learnt from blocks", async () => {
  const ppo = make({ numSteps: 32, minibatchSize: 64, learningRate: 0.01 });
  let row: PpoMetrics = {};
  for (let i = 0; i < 12; i++) row = await ppo.iterate();
  expect(row["charts/recent_return"]).toBeGreaterThan(1.5);
});

test("blocks that do not fill the observation, share a name or can't be normalised are refused with what to change", () => {
  const flat = (name: string, size: number) => ({ kind: "flat", name, size }) as const;
  expect(() => make({ observationBlocks: [flat("a", 3)] })).toThrow(
    `hold 3 numbers (a 3), the observation has ${SIZE}`,
  );
  expect(() => make({ observationBlocks: [flat("a", 3), flat("a", SIZE - 3)] })).toThrow("named 'a'");
  expect(() => make({ normalizeObservations: true })).toThrow("would move the masks");
  expect(() => make({ encoderHeads: 3 })).toThrow("it must divide encoderWidth, 8");
  expect(() => make({ observationBlocks: null, itemMemory: 4 })).toThrow("name those too");
  expect(() => make({ policy: "lstm", sequenceLength: 8, constantColumns: [[0, 1]] })).toThrow("no observation blocks");
});
