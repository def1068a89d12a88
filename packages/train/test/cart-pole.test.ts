import { readFileSync } from "node:fs";
import { CHECK_NAMES, checkEnv } from "@praxis/env";
import { expect, test } from "vitest";
import { type CartPoleState, cartPole, maskedCartPole, stepCartPole } from "../src/envs/cart-pole.ts";
import { findPython, runPython } from "./python.ts";

interface Golden {
  readonly source: string;
  readonly episodes: readonly {
    readonly policy: string;
    readonly start: readonly number[];
    readonly actions: string;
    readonly terminated: boolean;
    readonly truncated: boolean;
    readonly at: readonly number[];
    readonly states: readonly (readonly number[])[];
  }[];
}

const golden = JSON.parse(readFileSync(new URL("golden/cart-pole-gymnasium.json", import.meta.url), "utf8")) as Golden;
const fromList = ([x, xDot, theta, thetaDot]: readonly number[]): CartPoleState =>
  ({ x, xDot, theta, thetaDot }) as CartPoleState;

test("CartPole repeats recorded episodes of Gymnasium", () => {
  expect(golden.episodes.length).toBe(3);
  for (const episode of golden.episodes) {
    let state = fromList(episode.start);
    [...episode.actions].forEach((push, t) => {
      state = stepCartPole(state, Number(push));
      const recorded = episode.at.indexOf(t);
      if (recorded < 0) return;
      const expected = fromList(episode.states[recorded]!);
      for (const key of ["x", "xDot", "theta", "thetaDot"] as const) expect(state[key]).toBeCloseTo(expected[key], 9);
    });
  }
});

test("CartPole ends where Gymnasium's ends: terminated past 2.4 m or 12 degrees, truncated after 500 steps", () => {
  for (const episode of golden.episodes) {
    const env = cartPole.makeEnv();
    env.reset({ seed: 0 });
    const [{ data }] = [env.snapshot()] as unknown as [{ data: { episode: object } }];
    env.restore({
      envId: "CartPole-v1",
      data: { ...data, episode: { ...data.episode, state: fromList(episode.start) } },
    });
    const results = [...episode.actions].map((push) => env.step({ push: Number(push) }));
    expect(results.map(({ reward }) => reward)).toEqual(results.map(() => 1));
    expect(results.findIndex(({ terminated, truncated }) => terminated || truncated)).toBe(results.length - 1);
    const last = results[results.length - 1]!;
    expect([last.terminated, last.truncated]).toEqual([episode.terminated, episode.truncated]);
  }
});

const python = findPython("gymnasium");

/** Episodes of Gymnasium's own CartPole-v1: start state, pushes, and each state with its two ends. */
const GYMNASIUM = `
import json, random
import gymnasium
env = gymnasium.make("CartPole-v1")
episodes = []
for seed in range(12):
    rng = random.Random(seed)
    observation, _ = env.reset(seed=seed)
    steps, start = [], [float(x) for x in env.unwrapped.state]
    while True:
        x, v, theta, omega = env.unwrapped.state
        # Every third episode is balanced until the time limit, the others fall or leave the track.
        push = int(theta + 0.5 * omega + 0.05 * x + 0.1 * v > 0) if seed % 3 == 0 else int(rng.random() < (0.5, 0.9)[seed % 2])
        _, reward, terminated, truncated, _ = env.step(push)
        steps.append([push, reward, terminated, truncated, *[float(x) for x in env.unwrapped.state]])
        if terminated or truncated:
            break
    episodes.append({"start": start, "steps": steps})
print(json.dumps(episodes))
`;

test.skipIf(python === null)(
  "CartPole steps with Gymnasium's own, state by state and to the same end (needs Python with gymnasium)",
  () => {
    const episodes = runPython(python!, GYMNASIUM) as {
      start: number[];
      steps: [number, number, boolean, boolean, ...number[]][];
    }[];
    expect(episodes.some(({ steps }) => steps.length === 500)).toBe(true);
    for (const { start, steps } of episodes) {
      const env = cartPole.makeEnv();
      env.reset({ seed: 0 });
      const { data } = env.snapshot() as { data: { episode: object } };
      env.restore({ envId: "CartPole-v1", data: { ...data, episode: { ...data.episode, state: fromList(start) } } });
      for (const [push, reward, terminated, truncated, ...state] of steps) {
        const result = env.step({ push });
        expect([result.reward, result.terminated, result.truncated]).toEqual([reward, terminated, truncated]);
        const expected = fromList(state);
        for (const key of ["x", "xDot", "theta", "thetaDot"] as const)
          expect(result.observation[key]).toBeCloseTo(expected[key], 9);
      }
    }
  },
);

test("both CartPoles keep the contract of environments", async () => {
  for (const definition of [cartPole, maskedCartPole]) {
    const checks = await checkEnv(definition);
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks.length).toBeGreaterThanOrEqual(CHECK_NAMES.length - 3);
  }
});

test("masked CartPole shows position and angle only", () => {
  const { observation } = maskedCartPole.makeEnv().reset({ seed: 4 });
  expect(Object.keys(observation).sort()).toEqual(["theta", "x"]);
  expect(maskedCartPole.encodeObservation?.(observation, {})).toEqual([observation.x, observation.theta]);
});
