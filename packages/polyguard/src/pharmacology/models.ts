import { digoxin } from "./digoxin.ts";
import type { DosingModel } from "./dosing-model.ts";
import { gentamicin } from "./gentamicin.ts";
import { levothyroxine } from "./levothyroxine.ts";
import { lithium } from "./lithium.ts";
import { phenytoin } from "./phenytoin.ts";
import { vancomycin } from "./vancomycin.ts";
import { makeWarfarin } from "./warfarin.ts";

/** Warfarin as the simulator integrates it, and coarser for estimates, which run it hundreds of times a decision. */
export const warfarin: DosingModel = makeWarfarin(0.1);
const coarseWarfarin: DosingModel = makeWarfarin(4);

/** The dosing models of the simulator. */
export const DOSING_MODELS: readonly DosingModel[] = [
  vancomycin,
  gentamicin,
  warfarin,
  digoxin,
  phenytoin,
  lithium,
  levothyroxine,
];

/** The model that an estimate of this drug runs. */
export function estimationModel(model: DosingModel): DosingModel {
  return model === warfarin ? coarseWarfarin : model;
}
