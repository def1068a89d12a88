import type { EnvTool } from "../env.ts";
import { canonicalJson } from "../hash.ts";
import {
  type Check,
  type CheckContext,
  firstDifference,
  type Player,
  playReference,
  withPlayer,
  withPlayers,
} from "./player.ts";

/** A seed near the one that checks use, but within the range of seeds. */
const otherSeed = ({ seed }: CheckContext, distance = 1): number => (seed > 100 ? seed - distance : seed + distance);

const seedRepeats: Check = {
  name: "seed-repeats",
  rule: "The same seed and actions give equal episodes.",
  async run(context) {
    const reference = await playReference(context);
    const seen = await withPlayer(context, async (player) => {
      await player.reset({ seed: context.seed });
      return (await player.playScript(reference.actions)).texts;
    });
    return firstDifference(reference.texts, seen);
  },
};

/** Observations of an episode, without infos, which name the seed. */
const observations = (texts: readonly string[]): string =>
  texts.map((text) => canonicalJson((JSON.parse(text) as { observation: unknown }).observation)).join();

const seedDiffers: Check = {
  name: "seed-differs",
  rule: "Another seed gives another episode.",
  async run(context) {
    if (context.definition.isDeterministic) return null;
    const reference = observations((await playReference(context)).texts);
    for (let i = 1; i <= 8; i++) {
      const { texts } = await playReference(context, { seed: otherSeed(context, i) });
      if (observations(texts) !== reference) return null;
    }
    return `Seed ${context.seed} and 8 others give equal episodes; set isDeterministic if they should.`;
  },
};

const seedSequence: Check = {
  name: "seed-sequence",
  rule: "Resets without a seed go on in the sequence that the last seed began.",
  needs: ["seed-repeats"],
  run: (context) =>
    withPlayers(context, 2, async ([first, second]) => {
      const episodes = async (player: Player) => {
        await player.reset({ seed: context.seed });
        for (let i = 0; i < 4; i++) await player.reset();
        return player.texts;
      };
      const texts = await episodes(first!);
      const difference = firstDifference(texts, await episodes(second!));
      if (difference !== null) return `The sequence does not repeat: ${difference}.`;
      const repeats = texts.slice(1).every((text) => observations([text]) === observations([texts[0]!]));
      return repeats && !context.definition.isDeterministic
        ? "A reset without a seed repeats the seeded episode."
        : null;
    }),
};

const resetRepeats: Check = {
  name: "reset-repeats",
  rule: "The same seed gives the same episode again on one instance.",
  run: (context) =>
    withPlayer(context, async (player) => {
      await player.reset({ seed: context.seed });
      await player.play(context.steps);
      const first = player.texts.slice();
      await player.reset({ seed: context.seed });
      await player.playScript(player.actions.slice());
      return firstDifference(first, player.texts.slice(first.length));
    }),
};

const instancesApart: Check = {
  name: "instances-apart",
  rule: "Two instances whose steps alternate play as each would alone.",
  needs: ["seed-repeats"],
  async run(context) {
    const alone = await playReference(context);
    const seen = await withPlayers(context, 2, async ([player, other]) => {
      await player!.reset({ seed: context.seed });
      await other!.reset({ seed: otherSeed(context) });
      for (const action of alone.actions) {
        await player!.step(action);
        if (!other!.isEnded) await other!.step();
      }
      return player!.texts;
    });
    return firstDifference(alone.texts, seen);
  },
};

const snapshotRestores: Check = {
  name: "snapshot-restores",
  rule: "restore brings back the state of the snapshot, its random streams and its sequence of seeds.",
  needs: ["seed-repeats", "seed-sequence", "reset-repeats", "instances-apart"],
  async run(context) {
    const reference = await playReference(context);
    const half = Math.floor(reference.actions.length / 2);
    return withPlayers(context, 2, async ([player, straight]) => {
      await player!.reset({ seed: context.seed });
      await player!.playScript(reference.actions.slice(0, half));
      const snapshot = player!.env.snapshot();
      const before = canonicalJson(player!.env.state());
      await player!.env.reset({ seed: otherSeed(context) });
      player!.env.restore(snapshot);
      const after = canonicalJson(player!.env.state());
      if (before !== after) return `The state ${before} came back as ${after}.`;
      await player!.playScript(reference.actions.slice(half));
      const difference = firstDifference(reference.texts, player!.texts);
      if (difference !== null) return `After the restore, ${difference}.`;
      await straight!.env.reset({ seed: context.seed });
      const next = canonicalJson(await straight!.env.reset());
      return next === canonicalJson(await player!.env.reset())
        ? null
        : "After the restore, a reset without a seed begins another episode.";
    });
  },
};

const snapshotSurvives: Check = {
  name: "snapshot-survives",
  rule: "Later steps do not change a snapshot; it can be restored again and again.",
  needs: ["snapshot-restores"],
  async run(context) {
    const reference = await playReference(context);
    const half = Math.floor(reference.actions.length / 2);
    return withPlayer(context, async (player) => {
      await player.reset({ seed: context.seed });
      await player.playScript(reference.actions.slice(0, half));
      const snapshot = player.env.snapshot();
      await player.playScript(reference.actions.slice(half));
      for (const time of ["first", "second"]) {
        player.texts.splice(half + 1);
        player.env.restore(snapshot);
        await player.playScript(reference.actions.slice(half));
        const difference = firstDifference(reference.texts, player.texts);
        if (difference !== null) return `After the ${time} restore, ${difference}.`;
      }
      return null;
    });
  },
};

const snapshotForks: Check = {
  name: "snapshot-forks",
  rule: "A snapshot goes on in another instance, and neither disturbs the other.",
  needs: ["snapshot-restores"],
  async run(context) {
    const reference = await playReference(context);
    const half = Math.floor(reference.actions.length / 2);
    return withPlayers(context, 2, async ([player, fork]) => {
      await player!.reset({ seed: context.seed });
      await player!.playScript(reference.actions.slice(0, half));
      fork!.env.restore(player!.env.snapshot());
      for (const action of reference.actions.slice(half)) {
        await fork!.step(action);
        await player!.step(action);
      }
      const forked = firstDifference(reference.texts, [...reference.texts.slice(0, half + 1), ...fork!.texts]);
      if (forked !== null) return `In the fork, ${forked}.`;
      const difference = firstDifference(reference.texts, player!.texts);
      return difference === null ? null : `Beside the fork, ${difference}.`;
    });
  },
};

/** Arguments to call a tool with: its examples, else `{}` where its schema takes that. */
const argumentsOf = ({ examples, input }: EnvTool): readonly Record<string, unknown>[] =>
  examples ?? (input.safeParse({}).success ? [{}] : []);

const toolReadOnly: Check = {
  name: "tool-read-only",
  rule: "A read-only tool changes nothing.",
  needs: ["seed-repeats"],
  async run(context) {
    const tools = (context.definition.tools ?? []).filter((tool) => tool.readOnly);
    if (tools.length === 0) return null;
    const reference = await playReference(context);
    return withPlayer(context, async (player) => {
      await player.reset({ seed: context.seed });
      for (const action of [undefined, ...reference.actions]) {
        if (action !== undefined) await player.step(action);
        for (const tool of player.isEnded ? [] : tools) {
          const before = canonicalJson(player.env.state());
          for (const args of argumentsOf(tool))
            await tool.call(player.env, args, {
              mode: tool.modes?.[0] ?? "simulation",
              last: player.last,
              step: async (each) => player.env.step(each),
            });
          const after = canonicalJson(player.env.state());
          if (before !== after) return `Tool '${tool.name}' changed the state ${before} to ${after}.`;
        }
      }
      const difference = firstDifference(reference.texts, player.texts);
      return difference === null ? null : `After calls of read-only tools, ${difference}.`;
    });
  },
};

/** Rules about seeds, instances, snapshots and tools that read. */
export const determinismChecks: readonly Check[] = [
  seedRepeats,
  seedDiffers,
  seedSequence,
  resetRepeats,
  instancesApart,
  snapshotRestores,
  snapshotSurvives,
  snapshotForks,
  toolReadOnly,
];
