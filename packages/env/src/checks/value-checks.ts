import type { ResetResult, StepResult } from "../env.ts";
import { canonicalJson } from "../hash.ts";
import { Rng } from "../rng.ts";
import { whyNotInSpace } from "../spaces.ts";
import { type Check, type CheckContext, Player, show, withPlayer } from "./player.ts";

/** Says where `value` is not what JSON can carry (typed arrays are; dates, maps, functions, NaN are not), or null. */
function whyNotPlain(value: unknown, path: string): string | null {
  if (value === null || typeof value === "boolean" || typeof value === "string") return null;
  if (typeof value === "number") return Number.isFinite(value) ? null : `${path} is ${value}`;
  if (typeof value !== "object") return `${path} is of type ${typeof value}`;
  const isTyped = ArrayBuffer.isView(value) && !(value instanceof DataView);
  if (Array.isArray(value) || isTyped) {
    const items = value as unknown as ArrayLike<unknown>;
    for (let i = 0; i < items.length; i++) {
      const why = whyNotPlain(items[i], `${path}[${i}]`);
      if (why !== null) return why;
    }
    return null;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    return `${path} is of class ${(value as object).constructor.name}`;
  for (const [key, item] of Object.entries(value)) {
    const why = item === undefined ? null : whyNotPlain(item, `${path}.${key}`);
    if (why !== null) return why;
  }
  return null;
}

/** Plays to the end of an episode and returns the first thing that `judge` says of a result. */
function judgeResults(
  context: CheckContext,
  judge: (result: ResetResult<unknown> | StepResult<unknown>) => string | null,
): Promise<string | null> {
  return withPlayer(context, async (player) => {
    let wrong = judge(await player.reset({ seed: context.seed }));
    let at = 0;
    for (; wrong === null && at < context.endSteps && !player.isEnded; at++) wrong = judge(await player.step());
    return wrong === null ? null : `${at === 0 ? "reset" : `step ${at}`}: ${wrong}.`;
  });
}

/** {@link judgeResults} of steps only. */
const judgeSteps = (context: CheckContext, judge: (result: StepResult<unknown>) => string | null) =>
  judgeResults(context, (result) => ("reward" in result ? judge(result) : null));

const sampleAction: Check = {
  name: "sample-action",
  rule: "Sampled actions fit the action schema.",
  run: (context) =>
    withPlayer(context, async (player) => {
      await player.reset({ seed: context.seed });
      for (let i = 0; i < context.steps && !player.isEnded; i++) {
        const action = player.sample();
        const parsed = context.definition.schemas.action.safeParse(action);
        if (!parsed.success) return `${show(action)} does not fit: ${parsed.error.issues[0]!.message}.`;
        await player.step(action);
      }
      return null;
    }),
};

const sampleActionRepeats: Check = {
  name: "sample-action-repeats",
  rule: "Sampling draws from its random stream only.",
  run: (context) =>
    withPlayer(context, async (player) => {
      const last = await player.reset({ seed: context.seed });
      const sample = () => {
        const rng = Rng.fromSeed(context.seed, "sample");
        return Array.from({ length: 8 }, () => show(context.definition.sampleAction(rng, last))).join();
      };
      const first = sample();
      return first === sample() ? null : "Equal random streams gave different actions.";
    }),
};

const observationSchema: Check = {
  name: "observation-schema",
  rule: "Observations fit the observation schema.",
  run: (context) =>
    judgeResults(context, ({ observation }) => {
      const parsed = context.definition.schemas.observation.safeParse(observation);
      if (parsed.success) return null;
      const issue = parsed.error.issues[0]!;
      return `observation${issue.path.map((part) => `.${String(part)}`).join("")}: ${issue.message}`;
    }),
};

const observationPlain: Check = {
  name: "observation-plain",
  rule: "Observations are finite and plain JSON.",
  run: (context) => judgeResults(context, ({ observation }) => whyNotPlain(observation, "observation")),
};

const observationNames: Check = {
  name: "observation-names",
  rule: "No field of an observation has a name that the wire adds.",
  run: (context) =>
    judgeResults(context, ({ observation }) => {
      if (typeof observation !== "object" || observation === null) return null;
      const taken = ["reward", "done", "terminated", "truncated", "metadata"];
      const name = taken.find((each) => Object.hasOwn(observation, each));
      return name === undefined ? null : `the observation has a field '${name}'`;
    }),
};

const observationSpace: Check = {
  name: "observation-space",
  rule: "Observations, as encoded, are members of the observation space.",
  run: (context) =>
    judgeResults(context, ({ observation, info }) => {
      const { definition } = context;
      if (definition.observationSpace === undefined) return null;
      const value = definition.encodeObservation ? definition.encodeObservation(observation, info) : observation;
      return whyNotInSpace(definition.observationSpace, value, "observation");
    }),
};

const observationKept: Check = {
  name: "observation-kept",
  rule: "An observation that was handed out does not change later.",
  run: (context) =>
    withPlayer(context, async (player) => {
      const seen: { readonly observation: unknown; readonly text: string }[] = [];
      const keep = ({ observation }: ResetResult<unknown>) =>
        seen.push({ observation, text: canonicalJson(observation) });
      keep(await player.reset({ seed: context.seed }));
      await player.play(context.steps, keep);
      const changed = seen.findIndex(({ observation, text }) => canonicalJson(observation) !== text);
      return changed < 0 ? null : `The observation of step ${changed} was changed by a later step.`;
    }),
};

const actionKept: Check = {
  name: "action-kept",
  rule: "A step leaves the action that it was given as it is.",
  run: (context) =>
    withPlayer(context, async (player) => {
      await player.reset({ seed: context.seed });
      const action = player.sample();
      const before = canonicalJson(action);
      await player.env.step(action);
      const after = canonicalJson(action);
      return before === after ? null : `The action ${before} became ${after}.`;
    }),
};

const rewardFinite: Check = {
  name: "reward-finite",
  rule: "Rewards are finite numbers.",
  run: (context) =>
    judgeSteps(context, ({ reward }) => (Number.isFinite(reward) ? null : `the reward is ${String(reward)}`)),
};

const rewardRange: Check = {
  name: "reward-range",
  rule: "Rewards lie within the reward range.",
  run: (context) =>
    judgeSteps(context, ({ reward }) => {
      const [low, high] = context.definition.rewardRange;
      return reward < low || reward > high ? `the reward ${reward} is outside [${low}, ${high}]` : null;
    }),
};

const rewardComponents: Check = {
  name: "reward-components",
  rule: "Reward components are finite numbers.",
  run: (context) =>
    judgeSteps(context, ({ info }) => {
      const wrong = Object.entries(info.rewardComponents ?? {}).find(([, value]) => !Number.isFinite(value));
      return wrong === undefined ? null : `the reward component '${wrong[0]}' is ${String(wrong[1])}`;
    }),
};

const infoPlain: Check = {
  name: "info-plain",
  rule: "Infos are finite and plain JSON.",
  run: (context) => judgeResults(context, ({ info: { rewardComponents: _, ...info } }) => whyNotPlain(info, "info")),
};

const flagsBoolean: Check = {
  name: "flags-boolean",
  rule: "terminated and truncated are booleans.",
  run: (context) =>
    judgeSteps(context, (result) => {
      const flag = (["terminated", "truncated"] as const).find((name) => typeof result[name] !== "boolean");
      return flag === undefined ? null : `${flag} is ${show(result[flag])}`;
    }),
};

const terminationReason: Check = {
  name: "termination-reason",
  rule: "The last step, and no other, says why the episode ended.",
  run: (context) =>
    judgeSteps(context, ({ terminated, truncated, info }) => {
      const isLast = Boolean(terminated || truncated);
      if (isLast && !info.terminationReason) return "the episode ended without a terminationReason";
      return !isLast && info.terminationReason !== undefined ? "terminationReason is set before the end" : null;
    }),
};

/** Illegal actions to try in the state of `last`: the definition's own, and masked choices of a discrete action space. */
function illegalActions({ definition, seed }: CheckContext, last: ResetResult<unknown>): readonly unknown[] {
  const own = definition.illegalAction?.(Rng.fromSeed(seed, "illegal"), last) ?? null;
  const mask = last.info.actionMask;
  const choices =
    definition.actionSpace?.kind === "discrete" && Array.isArray(mask)
      ? mask.flatMap((isLegal, choice) => (isLegal ? [] : [choice]))
      : [];
  const masked = choices.map((choice) => definition.decodeAction?.(choice, last) ?? choice);
  return [...(own === null ? [] : [own]), ...masked];
}

const illegalAction: Check = {
  name: "illegal-action",
  rule: "An illegal action is a step that earns a violation.",
  needs: ["snapshot-restores"],
  run: (context) =>
    withPlayer(context, async (player) => {
      await player.reset({ seed: context.seed });
      for (let i = 0; i < context.steps && !player.isEnded; i++) {
        for (const action of illegalActions(context, player.last)) {
          const before = player.env.snapshot();
          // A player of its own, so that the try leaves no mark on the episode.
          const { info } = await new Player(context, player.env).step(action);
          if ((info.violations ?? []).length === 0)
            return `step ${i + 1}: the illegal action ${show(action)} earned no violation.`;
          player.env.restore(before);
        }
        await player.step();
      }
      return null;
    }),
};

/** Rules about what resets and steps return. */
export const valueChecks: readonly Check[] = [
  sampleAction,
  sampleActionRepeats,
  observationSchema,
  observationPlain,
  observationNames,
  observationSpace,
  observationKept,
  actionKept,
  rewardFinite,
  rewardRange,
  rewardComponents,
  infoPlain,
  flagsBoolean,
  terminationReason,
  illegalAction,
];
