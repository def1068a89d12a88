import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { didYouMean, PraxisError } from "@praxis/env";
import { makeConfig, PRESETS, SCRIPT_NAMES, type SpindleFlowSettings } from "@praxis/spindleflow";
import { delegationPolicySettings, episodePpoSettings } from "@praxis/train";
import { parse } from "yaml";
import { z } from "zod";
import { parseGiven } from "../schema-flags.ts";

// The repository's root holds `configs/`; the path holds from `src` and `dist` alike.
const CONFIGS = fileURLToPath(new URL("../../../../configs/spindleflow/", import.meta.url));

const share = z.number().min(0).max(1);

/** Phases by the environment's own reward, against a rule that is measured when training begins. */
const curriculumSettings = z.strictObject({
  enabled: z.boolean().default(false),
  baseline: z.enum(SCRIPT_NAMES).default("greedyMediate"),
  baselineShifts: z.int().min(1).default(500),
  margin: z.number().min(0).default(0.02).describe("reward per task above the baseline's"),
  window: z.int().min(1).default(400),
  minEpisodes: z.int().min(1).default(1000),
  lastSteps: z.array(share).default([0.3, 0.6]),
});

/** What comes before PPO: the weights of another run, then cloning of a script. */
const warmStartSettings = z.strictObject({
  from: z.string().nullable().default(null).describe("run, or orchestrator that ships, whose weights are taken first"),
  teacher: z.enum(SCRIPT_NAMES).nullable().default(null).describe("null: PPO begins with fresh weights"),
  shifts: z.int().min(1).default(4000),
  demonstrations: z
    .string()
    .nullable()
    .default(null)
    .describe("file of the teacher's shifts, for several runs; made when it is not there"),
  epochs: z.int().min(1).default(12),
  minibatchSize: z.int().min(1).default(400).describe("decisions; whole shifts"),
  learningRate: z.number().positive().default(2e-3),
  weightDecay: z.number().min(0).default(0),
});

/** All that a training run of SpindleFlow is made of: the sections of `configs/spindleflow/*.yaml`. */
export const spindleRunSettings = z.strictObject({
  sector: z.string().default("software_engineering"),
  preset: z.enum(PRESETS).default("balanced"),
  phase: z.int().min(1).max(3).nullable().default(null).describe("null: the curriculum's, or all tasks without one"),
  tier: z.int().min(0).max(3).nullable().default(null).describe("judge of every episode; null: by the task"),
  env: z.record(z.string(), z.unknown()).default({}),
  policy: delegationPolicySettings.prefault({}),
  ppo: episodePpoSettings.prefault({}),
  curriculum: curriculumSettings.prefault({}),
  warmStart: warmStartSettings.prefault({}),
});

/** Checked settings, defaults filled in. */
export type SpindleRunSettings = Omit<z.output<typeof spindleRunSettings>, "env"> & {
  readonly env: SpindleFlowSettings;
};

/** Settings with defaults. Throws INVALID_CONFIG naming the one that is wrong. */
export function resolveSpindleRun(given: unknown): SpindleRunSettings {
  const parsed = spindleRunSettings.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const unknown = issue.code === "unrecognized_keys" ? issue.keys[0]! : null;
    const at = issue.path.join(".");
    const section = issue.path.length === 0 ? spindleRunSettings : spindleRunSettings.shape[issue.path[0] as "ppo"];
    const names = Object.keys(
      ((section as { unwrap?(): z.ZodObject }).unwrap?.() ?? (section as z.ZodObject)).shape ?? {},
    );
    throw new PraxisError(
      "INVALID_CONFIG",
      `Training setting '${at || (unknown ?? "")}': ${issue.message}.${unknown === null ? "" : didYouMean(unknown, names)}`,
    );
  }
  const settings = parsed.data as SpindleRunSettings;
  makeConfig(settings.env, settings.preset);
  return settings;
}

/** Short flags, as people know them from the founding trainer; sections have flags of their own, `--ppo.learning-rate`. */
const shortFlags = z.strictObject({
  demo: z.boolean().optional(),
  phase: z.int().optional(),
  timesteps: z.int().optional(),
  tier: z.int().optional(),
  preset: z.string().optional(),
  sector: z.string().optional(),
});

const SECTIONS = {
  policy: delegationPolicySettings,
  ppo: episodePpoSettings,
  curriculum: curriculumSettings,
  warmStart: warmStartSettings,
} as const;

/** Names of the flags for a command's help. */
export const SPINDLE_FLAGS =
  "--demo, --phase, --timesteps, --tier, --preset, --sector, and the keys of a configuration's sections: --ppo.learning-rate, --policy.encoder, --warm-start.shifts, …";

/** Settings in order of rank: defaults, file (or the demo's), flags; not yet checked as a whole. */
export function givenSpindleRun(
  config: string | undefined,
  rest: readonly string[],
): Readonly<Record<string, unknown>> {
  const own: string[] = [];
  const sections: Record<string, string[]> = {};
  let to = own;
  for (const word of rest) {
    const dotted = /^--([a-z-]+)\.(.+)$/.exec(word);
    const section = dotted?.[1]?.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    if (section !== undefined && !Object.hasOwn(SECTIONS, section))
      throw new PraxisError(
        "UNKNOWN_NAME",
        `Unknown section in '${word}'.${didYouMean(section, Object.keys(SECTIONS))}`,
      );
    if (word.startsWith("--")) {
      if (section === undefined) to = own;
      else {
        sections[section] ??= [];
        to = sections[section];
      }
    }
    to.push(section === undefined ? word : `--${dotted![2]}`);
  }
  const { demo = false, timesteps, ...short } = parseGiven(shortFlags, own);
  const file = readRunFile(config ?? (demo ? "demo" : "balanced"));
  const merged: Record<string, unknown> = { ...file, ...short };
  for (const [name, schema] of Object.entries(SECTIONS)) {
    const flags = parseGiven(schema as z.ZodObject, sections[name] ?? []);
    merged[name] = { ...(file[name] as object | undefined), ...flags };
  }
  if (timesteps !== undefined) merged.ppo = { ...(merged.ppo as object), totalSteps: timesteps };
  return merged;
}

/** A file, or the name of one in `configs/spindleflow`; over the one that it `extends`, section by section. */
function readRunFile(pathOrName: string): Readonly<Record<string, unknown>> {
  const own = join(CONFIGS, `${pathOrName}.yaml`);
  const path = existsSync(own) ? own : pathOrName;
  if (!existsSync(path)) {
    const names = existsSync(CONFIGS) ? readdirSync(CONFIGS).map((name) => name.replace(/\.yaml$/, "")) : [];
    throw new PraxisError(
      "UNKNOWN_NAME",
      `There is no configuration '${pathOrName}'.${didYouMean(pathOrName, names)} Name a file, or one of ${names.join(", ")}.`,
    );
  }
  const settings: unknown = parse(readFileSync(path, "utf8"));
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    throw new PraxisError("INVALID_CONFIG", `'${path}' must hold settings by name, such as 'ppo:'.`);
  const { extends: base, ...rest } = settings as Record<string, unknown>;
  if (base === undefined) return rest;
  const below = readRunFile(String(base));
  const isSection = (value: unknown): value is object => typeof value === "object" && value !== null;
  const merged = Object.entries(rest).map(([name, value]): [string, unknown] => {
    const under = below[name];
    return [name, isSection(value) && isSection(under) ? { ...under, ...value } : value];
  });
  return { ...below, ...Object.fromEntries(merged) };
}
