import type { Env } from "../env.ts";
import { canonicalJson } from "../hash.ts";
import { type Check, errorOf, firstDifference, playReference, show, withPlayer } from "./player.ts";

/** Why a call that should throw `code` did not, or null. */
async function whyNotRefused(code: string, call: () => unknown): Promise<string | null> {
  const error = await errorOf(call);
  if (error === null) return `It returned instead of throwing ${code}.`;
  return error.code === code
    ? null
    : `It threw ${error.code ?? "an error without code"} (${error.message}), not ${code}.`;
}

const stepBeforeReset: Check = {
  name: "step-before-reset",
  rule: "A step before the first reset throws RESET_NEEDED.",
  async run(context) {
    const action = await withPlayer(context, async (player) => {
      await player.reset({ seed: context.seed });
      return player.sample();
    });
    return withPlayer(context, ({ env }) => whyNotRefused("RESET_NEEDED", () => env.step(action)));
  },
};

const stepAfterEnd: Check = {
  name: "step-after-end",
  rule: "A step after the end of an episode throws RESET_NEEDED.",
  run: (context) =>
    withPlayer(context, async (player) => {
      await player.reset({ seed: context.seed });
      await player.play(context.endSteps);
      return player.isEnded ? whyNotRefused("RESET_NEEDED", () => player.env.step(player.actions.at(-1))) : null;
    }),
};

const badSeed: Check = {
  name: "bad-seed",
  rule: "A seed that is no integer from 0 to 2^53 − 1 is refused with VALIDATION_ERROR.",
  run: (context) =>
    withPlayer(context, async ({ env }) => {
      for (const seed of [-1, 0.5, Number.NaN, 2 ** 53]) {
        const why = await whyNotRefused("VALIDATION_ERROR", () => env.reset({ seed }));
        if (why !== null) return `Seed ${seed}: ${why}`;
      }
      return null;
    }),
};

const failedCall: Check = {
  name: "failed-call",
  rule: "A call that throws leaves the state as it was.",
  needs: ["seed-repeats"],
  async run(context) {
    const reference = await playReference(context);
    const half = Math.floor(reference.actions.length / 2);
    const calls: readonly (readonly [name: string, call: (env: Env) => unknown])[] = [
      ["reset with seed -1", (env) => env.reset({ seed: -1 })],
      ["step with undefined", (env) => env.step(undefined)],
      ["step with null", (env) => env.step(null)],
      ["step with {}", (env) => env.step({})],
    ];
    for (const [name, call] of calls) {
      const wrong = await withPlayer(context, async (player) => {
        await player.reset({ seed: context.seed });
        await player.playScript(reference.actions.slice(0, half));
        const before = canonicalJson(player.env.state());
        // A call that returns is a transition, not a failure; there is nothing to judge.
        if ((await errorOf(() => call(player.env))) === null) return null;
        const after = canonicalJson(player.env.state());
        if (before !== after) return `the state ${before} became ${after}`;
        await player.playScript(reference.actions.slice(half));
        return firstDifference(reference.texts, player.texts);
      });
      if (wrong !== null) return `After a failed ${name}: ${wrong}.`;
    }
    return null;
  },
};

const stateSchema: Check = {
  name: "state-schema",
  rule: "From the first reset on, states fit the state schema.",
  run: (context) =>
    withPlayer(context, async (player) => {
      const judge = (): string | null => {
        const parsed = context.definition.schemas.state.safeParse(player.env.state());
        if (parsed.success) return null;
        const issue = parsed.error.issues[0]!;
        return `state.${issue.path.join(".")}: ${issue.message}.`;
      };
      await player.reset({ seed: context.seed });
      let wrong: string | null = null;
      for (let i = 0; wrong === null && i < context.steps && !player.isEnded; i++) {
        wrong = judge();
        await player.step();
      }
      return wrong ?? judge();
    }),
};

const stateAnyTime: Check = {
  name: "state-any-time",
  rule: "The state can be asked for before the first reset and after the close.",
  async run({ definition, seed }) {
    const env = definition.makeEnv();
    const before = await errorOf(() => env.state());
    if (before !== null) return `Before the first reset it threw: ${before.message}`;
    await env.reset({ seed });
    await env.close();
    const after = await errorOf(() => env.state());
    return after === null ? null : `After the close it threw: ${after.message}`;
  },
};

const stepCount: Check = {
  name: "step-count",
  rule: "stepCount is 0 after a reset and grows by 1 with each step.",
  run: (context) =>
    withPlayer(context, async (player) => {
      await player.reset({ seed: context.seed });
      for (let expected = 0; ; expected++) {
        const seen = player.env.state().stepCount;
        if (seen !== expected) return `stepCount is ${show(seen)} after ${expected} steps.`;
        if (player.isEnded || expected >= context.steps) break;
        await player.step();
      }
      await player.reset();
      const seen = player.env.state().stepCount;
      return seen === 0 ? null : `stepCount is ${show(seen)} after the next reset.`;
    }),
};

const episodeId: Check = {
  name: "episode-id",
  rule: "The state tells the episode id that the reset gave, else one of its own.",
  run: (context) =>
    withPlayer(context, async (player) => {
      const given = "episode given by checkEnv";
      await player.reset({ seed: context.seed, episodeId: given });
      await player.step();
      const seen = player.env.state().episodeId;
      if (seen !== given) return `episodeId is ${show(seen)}, not '${given}'.`;
      await player.reset({ seed: context.seed });
      const own = player.env.state().episodeId;
      if (typeof own !== "string" || own === "") return `Without an id given, episodeId is ${show(own)}.`;
      return own === given ? "The next episode kept the id of the last." : null;
    }),
};

const maxEpisodeSteps: Check = {
  name: "max-episode-steps",
  rule: "No episode is longer than maxEpisodeSteps.",
  run: (context) =>
    withPlayer(context, async (player) => {
      const limit = context.definition.maxEpisodeSteps;
      if (limit === undefined || limit > context.endSteps) return null;
      await player.reset({ seed: context.seed });
      await player.play(limit);
      return player.isEnded ? null : `Step ${limit} was neither terminated nor truncated.`;
    }),
};

const closeTwice: Check = {
  name: "close-twice",
  rule: "Closing twice is harmless.",
  async run({ definition, seed }) {
    const env = definition.makeEnv();
    await env.reset({ seed });
    await env.close();
    const error = await errorOf(() => env.close());
    return error === null ? null : `The second close threw: ${error.message}`;
  },
};

/** Rules about the order of calls and about `state`. */
export const lifecycleChecks: readonly Check[] = [
  stepBeforeReset,
  stepAfterEnd,
  badSeed,
  failedCall,
  stateSchema,
  stateAnyTime,
  stepCount,
  episodeId,
  maxEpisodeSteps,
  closeTwice,
];
