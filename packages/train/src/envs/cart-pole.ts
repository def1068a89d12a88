import { type EnvDefinition, type EnvState, type Info, type Simulator, SimulatorEnv, type SyncEnv } from "@praxis/env";
import { z } from "zod";
import type { PpoSettingsInput } from "../ppo-settings.ts";

/** 0 pushes the cart to the left, 1 to the right. */
export interface CartPoleAction {
  readonly push: number;
}

/** Cart position (m), cart velocity (m/s), pole angle (rad), pole angular velocity (rad/s). */
export interface CartPoleState {
  readonly x: number;
  readonly xDot: number;
  readonly theta: number;
  readonly thetaDot: number;
}

/** What is seen: {@link CartPoleState}, without velocities in the masked form. */
export type CartPoleObservation = Partial<CartPoleState> & Pick<CartPoleState, "x" | "theta">;

// Constants of Gymnasium's CartPole-v1 (after Barto, Sutton and Anderson 1983).
const GRAVITY = 9.8;
const CART_MASS = 1.0;
const POLE_MASS = 0.1;
const TOTAL_MASS = POLE_MASS + CART_MASS;
/** Half the pole, m. */
const LENGTH = 0.5;
const POLE_MASS_LENGTH = POLE_MASS * LENGTH;
const FORCE_N = 10.0;
const STEP_S = 0.02;
const THETA_LIMIT = (12 * 2 * Math.PI) / 360;
const X_LIMIT = 2.4;
const MAX_STEPS = 500;

/** One Euler step of 0.02 s, in the order of Gymnasium's source, so that float64 results agree to the last bits. */
export function stepCartPole({ x, xDot, theta, thetaDot }: CartPoleState, push: number): CartPoleState {
  const force = push === 1 ? FORCE_N : -FORCE_N;
  const cosTheta = Math.cos(theta);
  const sinTheta = Math.sin(theta);
  const temp = (force + POLE_MASS_LENGTH * (thetaDot * thetaDot) * sinTheta) / TOTAL_MASS;
  const thetaAcc =
    (GRAVITY * sinTheta - cosTheta * temp) / (LENGTH * (4.0 / 3.0 - (POLE_MASS * (cosTheta * cosTheta)) / TOTAL_MASS));
  const xAcc = temp - (POLE_MASS_LENGTH * thetaAcc * cosTheta) / TOTAL_MASS;
  return {
    x: x + STEP_S * xDot,
    xDot: xDot + STEP_S * xAcc,
    theta: theta + STEP_S * thetaDot,
    thetaDot: thetaDot + STEP_S * thetaAcc,
  };
}

function hasFallen({ x, theta }: CartPoleState): boolean {
  return x < -X_LIMIT || x > X_LIMIT || theta < -THETA_LIMIT || theta > THETA_LIMIT;
}

function makeSimulator(
  observe: (state: CartPoleState) => CartPoleObservation,
): Simulator<CartPoleState, CartPoleAction, CartPoleObservation> {
  return {
    begin(_start, streams) {
      const rng = streams.stream("start");
      const draw = (): number => -0.05 + 0.1 * rng.uniform();
      const state = { x: draw(), xDot: draw(), theta: draw(), thetaDot: draw() };
      return { state, observation: observe(state) };
    },
    transition(before, { push }, _streams, stepCount) {
      const state = stepCartPole(before, push);
      const terminated = hasFallen(state);
      const truncated = !terminated && stepCount + 1 >= MAX_STEPS;
      const reason = terminated ? "fallen" : "timeLimit";
      const info: Info = terminated || truncated ? { terminationReason: reason } : {};
      return { state, observation: observe(state), reward: 1, terminated, truncated, info };
    },
  };
}

type CartPoleDefinition = EnvDefinition<
  CartPoleAction,
  CartPoleObservation,
  EnvState,
  SyncEnv<CartPoleAction, CartPoleObservation>
>;

function makeDefinition(
  names: Pick<CartPoleDefinition, "id" | "name" | "description">,
  fields: readonly (keyof CartPoleState)[],
  ppo: PpoSettingsInput,
): CartPoleDefinition {
  const observe = (state: CartPoleState) =>
    Object.fromEntries(fields.map((field) => [field, state[field]])) as unknown as CartPoleObservation;
  const simulator = makeSimulator(observe);
  const bounds = { x: 2 * X_LIMIT, theta: 2 * THETA_LIMIT, xDot: Infinity, thetaDot: Infinity };
  return {
    ...names,
    version: "0.1.0",
    rewardRange: [0, 1],
    maxEpisodeSteps: MAX_STEPS,
    metadata: { ppo },
    observationSpace: {
      kind: "box",
      shape: [fields.length],
      low: fields.map((field) => -bounds[field]),
      high: fields.map((field) => bounds[field]),
    },
    actionSpace: { kind: "discrete", n: 2 },
    schemas: {
      action: z.strictObject({ push: z.int().min(0).max(1).describe("0 left, 1 right") }),
      observation: z.strictObject({
        x: z.number(),
        theta: z.number(),
        xDot: z.number().exactOptional(),
        thetaDot: z.number().exactOptional(),
      }),
      state: z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int().min(0) }),
      reset: z.object({}),
    },
    sampleAction: (rng) => ({ push: rng.integer(0, 1) }),
    encodeObservation: (observation) => fields.map((field) => observation[field]!),
    decodeAction: (choice) => ({ push: choice as number }),
    makeEnv: ({ seed } = {}) => new SimulatorEnv(names.id, simulator, seed),
  };
}

/** Balance a pole on a cart: dynamics, limits and rewards of Gymnasium's CartPole-v1; start states come from our own streams. */
export const cartPole: CartPoleDefinition = makeDefinition(
  { id: "CartPole-v1", name: "cartpole", description: "Balance a pole on a cart by pushing left or right." },
  ["x", "xDot", "theta", "thetaDot"],
  // Tuned values of RL Baselines3 Zoo for CartPole-v1.
  {
    ...{ totalSteps: 100_000, numEnvs: 8, numSteps: 32, minibatchSize: 256, epochs: 20, gamma: 0.98, gaeLambda: 0.8 },
    ...{ learningRate: 1e-3, learningRateSchedule: "linear", clipRangeSchedule: "linear" },
  },
);

/** {@link cartPole} without velocities: they have to be remembered from one step to the next. */
export const maskedCartPole: CartPoleDefinition = makeDefinition(
  {
    id: "MaskedCartPole-v1",
    name: "masked-cartpole",
    description: "Balance a pole on a cart without seeing velocities; needs memory.",
  },
  ["x", "theta"],
  // assumption: found by hand; 20,480 steps solved it with seed 1.
  {
    ...{ totalSteps: 150_000, numEnvs: 8, numSteps: 128, minibatchSize: 256, sequenceLength: 32, epochs: 10 },
    ...{ learningRate: 1e-3, learningRateSchedule: "linear", policy: "lstm", lstmHidden: 64, hiddenSizes: [64] },
    ...{ normalizeObservations: true, normalizeRewards: true },
  },
);
