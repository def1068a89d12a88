import { Rng } from "@praxis/env";
import { bootstrap } from "@praxis/eval";
import { loadPolyGuard, makePolyguardPolicy, type PolyGuardEnv } from "@praxis/polyguard";
import type { Measurement } from "./figures.ts";

/** Patients a drug. */
const PATIENTS = 240;
/** Of the validation split: the planner's constants were chosen on the training split. The drugs begin in turn with it. */
const FIRST_SEED = 100_002;
/** Patients that the oracle plays too: its search takes longer than all the others together. */
const ORACLE_PATIENTS = 80;
/** Fixed label dosing, the proportional rule, the planner on estimated parameters, the oracle that knows them. */
const POLICIES = ["keep_always", "rule_based", "map_planner", "oracle_lookahead"] as const;
type PolicyName = (typeof POLICIES)[number];

/** Least gains of the planner in time-averaged attainment, by drug in the order of the scenarios. */
const GOALS: readonly { readonly drugId: string; readonly overFixed: number; readonly overRule: string }[] = [
  { drugId: "vancomycin", overFixed: 0.25, overRule: ">= 0.07" },
  { drugId: "gentamicin", overFixed: 0.22, overRule: "> 0" },
  { drugId: "warfarin", overFixed: 0.12, overRule: ">= 0.02" },
  { drugId: "digoxin", overFixed: 0.15, overRule: ">= -0.005" },
  { drugId: "phenytoin", overFixed: 0.45, overRule: ">= 0.025" },
  { drugId: "lithium_carbonate", overFixed: 0.04, overRule: ">= -0.005" },
  { drugId: "levothyroxine", overFixed: 0.08, overRule: ">= -0.005" },
];

/** Time-averaged attainment of four ways of dosing on the same patients, medium difficulty, through the environment. */
export async function measureDosing(report: (measurement: Measurement) => void): Promise<void> {
  const env = loadPolyGuard().makeEnv();
  const gaps: number[] = [];
  const gains: number[] = [];
  for (const [number, { drugId, overFixed, overRule }] of GOALS.entries()) {
    const scores: Record<PolicyName, number[]> = {
      keep_always: [],
      rule_based: [],
      map_planner: [],
      oracle_lookahead: [],
    };
    for (let i = 0; i < PATIENTS; i++) {
      // Even seeds of medium are dosed by level, the drugs in turn.
      const seed = FIRST_SEED + 2 * (i * GOALS.length + number);
      for (const name of POLICIES)
        if (name !== "oracle_lookahead" || i < ORACLE_PATIENTS) scores[name].push(await play(env, name, seed, drugId));
    }
    const means = Object.fromEntries(POLICIES.map((name) => [name, mean(scores[name])])) as Record<PolicyName, number>;
    const others = `fixed ${means.keep_always.toFixed(3)}, rule ${means.rule_based.toFixed(3)}, planner ${means.map_planner.toFixed(3)}, oracle ${means.oracle_lookahead.toFixed(3)} (first ${ORACLE_PATIENTS})`;
    const fixed = mean(scores.keep_always.slice(0, ORACLE_PATIENTS));
    gaps.push(means.oracle_lookahead - fixed);
    gains.push(mean(scores.map_planner.slice(0, ORACLE_PATIENTS)) - fixed);
    for (const [against, goal] of [
      ["keep_always", `>= ${overFixed}`],
      ["rule_based", overRule],
    ] as const) {
      const gain = bootstrap(scores.map_planner.map((score, i) => score - scores[against][i]!));
      report({
        id: `polyguard.dosing_map.${drugId}_over_${against === "keep_always" ? "fixed" : "rule"}`,
        value: gain.mean,
        unit: "attainment",
        goal,
        peer: null,
        n: PATIENTS,
        interval: [gain.low, gain.high],
        note: others,
      });
    }
  }
  env.close();
  report({
    id: "polyguard.dosing_map",
    value: mean(gains) / mean(gaps),
    unit: "of the gap",
    goal: ">= 0.85",
    peer: null,
    n: GOALS.length * ORACLE_PATIENTS,
    interval: null,
    note: "planner less fixed dosing, divided by the oracle that knows the parameters less fixed dosing; means over the seven drugs",
  });
}

async function play(env: PolyGuardEnv, name: PolicyName, seed: number, drugId: string): Promise<number> {
  const policy = makePolyguardPolicy(name, env);
  policy.reset(Rng.fromSeed(seed, "bench"));
  let last: ReturnType<typeof env.reset> | ReturnType<typeof env.step> = env.reset({
    seed,
    options: { sub_environment: "PRECISION_DOSING", difficulty: "medium" },
  });
  if (last.observation.dosing?.drug_id !== drugId) throw new Error(`seed ${seed} is not of ${drugId}`);
  for (;;) {
    const result: ReturnType<typeof env.step> = env.step(await policy.act(last.observation, last.info));
    if (result.terminated || result.truncated) return Number(result.info.task_score);
    last = result;
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
