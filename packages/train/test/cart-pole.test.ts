import { readFileSync } from "node:fs";
import { CHECK_NAMES, checkEnv } from "@praxis/env";
import { expect, test } from "vitest";
import { type CartPoleState, cartPole, maskedCartPole, stepCartPole } from "../src/envs/cart-pole.ts";

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
