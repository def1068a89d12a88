import { cosine } from "../bank/bank-index.ts";
import { nextRetry } from "../engine/masks.ts";
import { openConflicts } from "../engine/run.ts";
import { worldOf } from "../episode.ts";
import { type Decision, decide, META_ACTIONS, MODES, type Mode } from "../names.ts";
import { readClass } from "../read-text.ts";
import { expectedSpecialists, seatText, taskText } from "../shift/shift.ts";
import { linucb } from "./linucb-rule.ts";
import { callable, type Scene, type Script } from "./script.ts";

const STOP = decide("stop");

/** K of the greedy rules: what the class read from the text expects, not the truth. */
function expectedFromText({ index, state }: Scene): number {
  const { task } = taskText(index, state.shift.tasks[state.taskIndex]!);
  return expectedSpecialists(readClass(index, state.run.clarified ? task.clarifiedText : task.text), "chain");
}

/** Uniform over legal meta-actions and modes, each slot with probability ½. */
const random: Script = {
  choose({ state: { masks }, rng }) {
    const meta = rng.choice(META_ACTIONS.filter((_, i) => masks.meta[i]));
    const pick = (allowed: readonly boolean[]): number[] => {
      const open = allowed.flatMap((is, slot) => (is ? [slot] : []));
      const some = rng.shuffled(open.filter(() => rng.bernoulli(0.5)));
      return some.length > 0 ? some : [rng.choice(open)];
    };
    if (meta === "callSpecialist" || meta === "parallelSpawn")
      return decide(meta, pick(masks.slots), rng.choice(MODES));
    if (meta !== "delegateSubtask") return decide(meta);
    const lead = rng.choice(masks.leads.flatMap((is, slot) => (is ? [slot] : [])));
    return decide(meta, [lead, ...pick(masks.consult[lead]!)]);
  },
};

/** One call of the `count` most similar in a mode, then stop. */
function once(count: (scene: Scene) => number, mode: Mode): Script {
  return {
    choose(scene) {
      if (scene.state.run.callCount > 0) return STOP;
      return decide("callSpecialist", callable(scene).slice(0, count(scene)), mode);
    },
  };
}

const everybody = () => Number.POSITIVE_INFINITY;

/** What has to be put right before anything else: a conflict, a failure with a substitute. */
function repair({ state }: Scene, retries: number): Decision | null {
  if (openConflicts(state.run) > 0) return decide("callMediator");
  const tried = state.run.failures.reduce((sum, failure) => sum + failure.hops, 0);
  return tried < retries && nextRetry(worldOf(state), state.run) !== null ? decide("retryFailed") : null;
}

const greedyMediate: Script = {
  choose(scene) {
    if (scene.state.run.callCount === 0)
      return decide("callSpecialist", callable(scene).slice(0, expectedFromText(scene)), "fanOutReduce");
    return repair(scene, 1) ?? STOP;
  },
};

/** Weights of the cues beside similarity. Source: fitted on the rewards of single calls. */
const CUE_WEIGHTS = { marketing: -0.72, experimental: -0.48, junior: -0.24, senior: 0.24 } as const;

function cueBonus({ index, state }: Scene): (slot: number) => number {
  return (slot) => {
    const { vector } = seatText(index, state.shift.seats[slot]!);
    let bonus = 0;
    for (const cue of ["marketing", "experimental", "junior", "senior"] as const)
      bonus += CUE_WEIGHTS[cue] * cosine(vector, index.bank.vectors.cue(cue));
    return bonus;
  };
}

/** One at a time in mode iterative until K were called; repairs at once. */
function oneByOne(bonus: (scene: Scene) => ((slot: number) => number) | undefined): Script {
  return {
    choose(scene) {
      const fix = repair(scene, Number.POSITIVE_INFINITY);
      if (fix !== null) return fix;
      const [next] = callable(scene, bonus(scene));
      if (next === undefined || scene.state.run.callSteps >= expectedFromText(scene)) return STOP;
      return decide("callSpecialist", [next], "iterative");
    },
  };
}

/** Mean latency that a rule reckons with, ms. `assumption:` the middle of the bank's specialists. */
const USUAL_CALL_MS = 4000;

const cueGreedySla: Script = {
  choose(scene) {
    const { run } = scene.state;
    const world = worldOf(scene.state);
    const left = world.task.slaMs - run.elapsedMs - world.config.timing.handOverMs;
    const fix = run.callCount > 0 && left > USUAL_CALL_MS ? repair(scene, Number.POSITIVE_INFINITY) : null;
    if (fix !== null) return fix;
    const [next] = callable(scene, cueBonus(scene));
    if (next === undefined || run.callSteps >= expectedFromText(scene)) return STOP;
    if (left > USUAL_CALL_MS * 1.8) return decide("callSpecialist", [next], "iterative");
    return run.callCount === 0 || left > USUAL_CALL_MS ? decide("callSpecialist", [next]) : STOP;
  },
};

/** Quality at which the cascade is content. `assumption:` a usual value of cascades. */
const GOOD_ENOUGH = 0.6;

const cascade: Script = {
  choose(scene) {
    const { run } = scene.state;
    const [next] = callable(scene);
    if (run.outputs > 0 && run.measured >= GOOD_ENOUGH) return STOP;
    if (next === undefined || run.callSteps >= expectedFromText(scene)) return STOP;
    return decide("callSpecialist", [next]);
  },
};

/** The rules by name. None of them reads anything hidden. */
export const RULES: Readonly<Record<string, Script>> = {
  random,
  alwaysOne: once(() => 1, "sequential"),
  callAllPar: once(everybody, "parallel"),
  callAllSeq: once(everybody, "sequential"),
  callAllFanOut: once(everybody, "fanOutReduce"),
  greedyKPar: once(expectedFromText, "parallel"),
  greedyKSeq: once(expectedFromText, "sequential"),
  greedyKFanOut: once(expectedFromText, "fanOutReduce"),
  greedyMediate,
  greedyIter: oneByOne(() => undefined),
  cueGreedy: oneByOne(cueBonus),
  cascade,
  cueGreedySla,
  linucb,
};
