import { type EnvDefinition, SimulatorEnv } from "@praxis/env";
import { z } from "zod";

const PLANTS = ["fern", "moss", "reed"] as const;
const actionSchema = z.strictObject({
  step_nonce: z.string().min(1),
  plant: z.enum(PLANTS),
  litres: z.number().min(0).max(5),
  is_gentle: z.boolean(),
  note: z.string().max(200).optional(),
  where: z.strictObject({ row: z.int(), column: z.int() }).optional(),
});
type GardenAction = z.infer<typeof actionSchema>;
const observationSchema = z.strictObject({
  step_nonce: z.string(),
  sign: z.string(),
  beds: z.array(z.strictObject({ plant: z.string(), litres: z.number() })),
  candidates: z.array(z.strictObject({ text: z.string(), payload: z.record(z.string(), z.unknown()) })),
});
type GardenObservation = z.infer<typeof observationSchema>;

/** Text that would do harm if a page read it as markup. */
export const MARKUP = '<img src="x" onerror="document.title=\'broken\'"><b>bold</b>';

interface GardenState {
  readonly litres: Readonly<Record<string, number>>;
  readonly seed: number;
}

const observe = (state: GardenState, step: number): GardenObservation => ({
  step_nonce: `n${state.seed}-${step}`,
  sign: MARKUP,
  beds: PLANTS.map((plant) => ({ plant, litres: state.litres[plant] ?? 0 })),
  candidates: PLANTS.map((plant, index) => ({
    text: `Water the ${plant}`,
    payload: { plant, litres: index + 1, is_gentle: true },
  })),
});

/** Waters plants for three steps: an environment with everything that the page can show. */
export const gardenEnv = {
  id: "Garden-v0",
  name: "garden",
  description: "Water three plants, gently.",
  version: "0.1.0",
  notice: "research simulation, not gardening advice",
  isDeterministic: true,
  metadata: { review: true },
  schemas: {
    action: actionSchema,
    observation: observationSchema,
    state: z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int() }),
    reset: z.object({ season: z.enum(["spring", "autumn"]).optional() }),
  },
  rewardRange: [-1, 1],
  maxEpisodeSteps: 3,
  sampleAction: () => ({ step_nonce: "n", plant: "fern", litres: 1, is_gentle: true }),
  makeEnv: ({ seed } = {}) =>
    new SimulatorEnv<GardenState, GardenAction, GardenObservation>(
      "Garden-v0",
      {
        begin: ({ seed: given }) => {
          const state = { litres: {}, seed: given };
          return { state, observation: observe(state, 0) };
        },
        transition(state, action, _streams, stepCount) {
          const litres = { ...state.litres, [action.plant]: (state.litres[action.plant] ?? 0) + action.litres };
          const isFlood = action.litres > 4;
          const next = { ...state, litres };
          return {
            state: next,
            observation: observe(next, stepCount + 1),
            reward: isFlood ? -0.5 : action.litres / 10,
            terminated: stepCount === 2,
            truncated: false,
            info: {
              rewardComponents: { growth: action.litres / 5, care: isFlood ? -1 : 1 },
              violations: isFlood ? [{ kind: "flood", message: `Too much water ${MARKUP}` }] : [],
              ...(stepCount === 2 ? { terminationReason: "evening" } : {}),
            },
          };
        },
      },
      seed,
    ),
} satisfies EnvDefinition<GardenAction, GardenObservation>;
