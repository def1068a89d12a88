import type { Noise } from "./noise.ts";
import { DISPUTE, type TaskRun } from "./run.ts";
import type { World } from "./world.ts";

const clip01 = (x: number): number => (x < 0 ? 0 : Math.min(x, 1));

/** `q` with `a` merged in, element by element: the better of both and a little of the other; open tasks blend styles. */
export function mergeInto(world: World, q: number[], a: readonly number[], isFirst: boolean): void {
  const gain = world.config.simulation.mergeGain;
  const blends = world.task.shape === "open" && !isFirst;
  for (let j = 0; j < q.length; j++) {
    const old = q[j]!;
    const more = a[j]!;
    if (blends) q[j] = (old + more) / 2;
    else {
      const high = Math.max(old, more);
      q[j] = high + gain * Math.min(old, more) * (1 - high);
    }
  }
}

/** Share of a join task's worth that shows before its parts are joined; 1 for other shapes. */
function joinFactor(world: World, run: TaskRun): number {
  if (world.task.shape !== "join" || run.synthesised) return 1;
  return run.consulted ? world.config.simulation.consultedJoinFactor : world.config.simulation.joinFactor;
}

/** Q of the team's output, 0 … 1: coverage by weight, less open disputes and useless outputs. */
export function trueQuality(world: World, run: TaskRun): number {
  const { weights } = world.task;
  const { conflictWeight, uselessPenalty } = world.config.simulation;
  let covered = 0;
  let disputed = 0;
  for (let j = 0; j < weights.length; j++) {
    covered += weights[j]! * run.q[j]!;
    if (run.dispute[j] === DISPUTE.open) disputed += weights[j]!;
  }
  return clip01(joinFactor(world, run) * covered - conflictWeight * disputed - uselessPenalty * run.useless);
}

/** Σ weight · contribution. */
export function weightedSum(weights: readonly number[], a: readonly number[]): number {
  let sum = 0;
  for (let j = 0; j < weights.length; j++) sum += weights[j]! * a[j]!;
  return sum;
}

/** Q of one output as if it were the team's only one. */
export function singleQuality(world: World, a: readonly number[]): number {
  const { joinFactor: unjoined, uselessFloor, uselessPenalty } = world.config.simulation;
  const covered = weightedSum(world.task.weights, a);
  return clip01((world.task.shape === "join" ? unjoined : 1) * covered - (covered < uselessFloor ? uselessPenalty : 0));
}

/** Q of the generalist alone, whom the team has to beat. */
export function baseQuality(world: World): number {
  const { generalist, difficultySlope } = world.config.simulation;
  return generalist.competence * (1 - difficultySlope * Math.max(0, world.task.difficulty - generalist.headroom));
}

/** Quality as the locked tier sees it, clipped to 0 … 1. @param z standard normal */
export function measuredScore(world: World, quality: number, z: number): number {
  return clip01(quality + world.sigma * z);
}

/** Measured quality of the team's output: drawn once per change of it, so that waiting earns no better reading. */
export function measure(world: World, run: TaskRun, noise: Noise): number {
  if (run.measuredVersion !== run.version) {
    run.measured = measuredScore(world, trueQuality(world, run), noise.judge(run.version));
    run.measuredVersion = run.version;
  }
  return run.measured;
}
