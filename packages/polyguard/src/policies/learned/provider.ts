import type { SceneProvider } from "@praxis/env";
import type { StepAction } from "../../actions/schema.ts";
import type { FinalInfo } from "../../final-info.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import type { Observation } from "../../observation/schema.ts";
import { SCENE_SHAPE, SCENES_VERSION } from "./layout.ts";
import { ALL_SHOWN, PolyGuardSceneReader, type SceneSwitches } from "./scene-reader.ts";

/** Scenes of PolyGuard for policies that learn. */
export function makeScenes(
  kb: KnowledgeBase,
  switches: SceneSwitches = ALL_SHOWN,
): SceneProvider<StepAction, Observation> {
  return {
    version: SCENES_VERSION,
    shape: SCENE_SHAPE,
    begin: () => new PolyGuardSceneReader(kb, switches),
    returnOf: ({ info }) => learningReturn(info as Partial<FinalInfo>),
    wasGood: ({ info }) => goodFrom((info as { rewardComponents?: Record<string, number> }).rewardComponents),
  };
}

/**
 * assumption: change of J that counts as a whole task score where no best course is planned while learning. The scale cancels
 * within a group, whose members share a scenario; it sets the weight against G.
 */
const WHOLE_GAIN_J = 0.05;
/** Weight of the score against the training return. assumption: G alone pays more for being quick than for what the course comes to. */
const SCORE_WEIGHT = 2;

/** G plus the weighted task score, or the gain in J in its stead where the score needs a best course that was not planned. */
function learningReturn(info: Partial<FinalInfo>): number | null {
  const { training_return: g, task_score: score, j, keep_j: keepJ } = info;
  if (g === undefined || j === undefined || keepJ === undefined) return null;
  const gain = Math.min(1.5, Math.max(-1.5, (j - keepJ) / WHOLE_GAIN_J));
  return g + SCORE_WEIGHT * (score ?? gain);
}

/**
 * c13 pays at least a half for a good choice whatever the confidence, and at most a half for a bad one; equal only at confidence 0,
 * where it does not tell.
 */
function goodFrom(components: Readonly<Record<string, number>> | undefined): boolean | null {
  const value = components?.uncertainty_calibration_score;
  if (value === undefined || value === 0.5) return null;
  return value > 0.5;
}
