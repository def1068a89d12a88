import { z } from "zod";

/** Bounds that OpenEnv 0.10.0's policy sets for what a manifest declares. */
const MAX_ORACLE_TOLERANCE = 0.1;
const MIN_FLOOR_MARGIN = 0.1;
const MAX_VARIANCE_TOLERANCE = 0.2;
const MAX_EPISODE_TIMEOUT_S = 3600;

const isPortablePath = (path: string): boolean =>
  path !== "" && !/[\\:\0]/.test(path) && !path.startsWith("/") && !path.split("/").includes("..");
const packagePath = z.string().refine(isPortablePath, "must be a relative path without '..'");
const filePath = packagePath.refine((path) => path !== "." && path !== "./", "must name a file");

const reward = z.strictObject({
  range: z
    .tuple([z.number(), z.number()])
    .refine(([low, high]) => low < high, "must be increasing")
    .default([0, 1]),
  oracle_tolerance: z.number().min(0).max(MAX_ORACLE_TOLERANCE).default(0),
  floor_margin: z.number().min(MIN_FLOOR_MARGIN),
  variance_tolerance: z.number().min(0).max(MAX_VARIANCE_TOLERANCE).nullish(),
});

const resources = z
  .strictObject({
    cpu: z.number().positive(),
    memory_mb: z.int().positive(),
    disk_mb: z.int().positive(),
    episode_timeout_s: z.number().positive().max(MAX_EPISODE_TIMEOUT_S),
    gpus: z.int().min(0).default(0),
    gpu_types: z.array(z.string()).default([]),
  })
  .refine(({ gpus, gpu_types }) => gpu_types.length === 0 || gpus > 0, "gpu_types is declared but gpus is 0");

const verifier = z
  .strictObject({ kind: z.enum(["reward_channel", "script"]), entry: z.string().nullish() })
  .refine(
    ({ kind, entry }) => (kind === "script") === (typeof entry === "string"),
    "entry goes with kind 'script', and only with it",
  );

const capabilities = z
  .strictObject({
    verifier,
    oracle: z.strictObject({ form: z.enum(["injected_state", "script"]), location: z.string() }).nullish(),
    set_state: z.boolean().default(false),
    llm_judged: z.boolean().default(false),
    rubric_tree: z.boolean().default(false),
    task_api: z.boolean().default(false),
    canaries: z.string().nullish(),
    declared_tools: z.array(z.string()).default([]),
    declared_task_count: z.record(z.string(), z.int()).default({}),
  })
  .refine(
    ({ oracle, set_state }) => oracle?.form !== "injected_state" || set_state,
    "an injected_state oracle needs set_state: true",
  );

const network = z
  .strictObject({
    mode: z.enum(["public", "no-network", "allowlist"]).default("public"),
    allowed_hosts: z.array(z.string()).default([]),
  })
  .refine(
    ({ mode, allowed_hosts }) => (mode === "allowlist") === allowed_hosts.length > 0,
    "allowed_hosts goes with mode 'allowlist', and only with it",
  );

const execution = z.strictObject({
  kind: z.literal("openenv_ws").default("openenv_ws"),
  probe_path: filePath.default("validation/runtime.json"),
  dockerfile: filePath.default("Dockerfile"),
  context: packagePath.default("."),
  agent_boundary: z.literal("api").default("api"),
  requires_credentials: z.boolean().default(false),
});

/** `openenv.yaml` as OpenEnv 0.10.0 grades it; unknown keys are errors inside a section and ignored elsewhere. */
export const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string().nullish(),
  validation: z
    .looseObject({
      reward,
      resources,
      capabilities,
      types: z.strictObject({ tags: z.array(z.string().min(1)).min(1) }),
      network: network.nullish(),
      judge: z
        .strictObject({ model: z.string(), version: z.string(), params: z.record(z.string(), z.unknown()).default({}) })
        .nullish(),
      task_distribution: z
        .strictObject({
          dataset_version: z.string().nullish(),
          generator_model: z.string().nullish(),
          generator_seed: z.int().nullish(),
        })
        .nullish(),
      execution: execution.optional(),
    })
    .refine(
      ({ capabilities: { llm_judged }, judge, reward: { variance_tolerance } }) =>
        llm_judged ? judge != null && variance_tolerance != null : judge == null,
      "llm_judged, judge and reward.variance_tolerance go together",
    ),
});

/** `validation/runtime.json`: the inputs of one measured episode. */
export const runtimePlanSchema = z.strictObject({
  plan_schema_version: z.literal("1"),
  reset: z.strictObject({
    episode_id: z.string().min(1).max(128),
    seed: z
      .int()
      .min(0)
      .max(2 ** 32 - 1),
    options: z
      .record(z.string(), z.unknown())
      .refine((options) => !("seed" in options) && !("episode_id" in options), "can't hold seed or episode_id")
      .default({}),
  }),
  actions: z.array(z.record(z.string(), z.unknown())).min(1).max(100),
});
