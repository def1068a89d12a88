import { performance } from "node:perf_hooks";
import { type Policy, type SyncEnv, toPraxisError } from "@praxis/env";
import {
  type EvaluationRow,
  evaluateEpisode,
  type KeptValue,
  loadBundledBrandNames,
  loadBundledKnowledgeBase,
  loadPolyGuard,
  makeBestJ,
  makePlannerCriticPolicy,
  makePolyguardPolicy,
  type ScenarioStore,
  teamVariant,
} from "@praxis/polyguard";
import { placedPolicy } from "../learning/placed-policy.ts";
import type {
  EvaluationFailure,
  EvaluationJob,
  EvaluationPlay,
  FoundValue,
  LearnedPolicyPlace,
  WorkerAnswer,
  WorkerStart,
} from "./jobs.ts";

type PolyguardPolicy = ReturnType<typeof makePolyguardPolicy>;

/** Plays jobs one after another in one environment, with what is known about scenarios from before. */
export class Evaluator {
  readonly #env: SyncEnv;
  readonly #known: Map<string, KeptValue>;
  readonly #policies = new Map<string, PolyguardPolicy>();
  readonly #brands = loadBundledBrandNames();
  readonly #learned: readonly LearnedPolicyPlace[];
  #found: FoundValue[] = [];
  #planned = 0;
  #oracleMs = 0;

  constructor({ known, learned }: WorkerStart) {
    this.#learned = learned;
    this.#known = new Map(known);
    const store: ScenarioStore = {
      get: (key) => this.#known.get(key),
      set: (key, value) => {
        this.#known.set(key, value);
        this.#found.push([key, value]);
      },
    };
    const plan = makeBestJ(loadBundledKnowledgeBase(), {
      get: (key) => {
        const value = store.get(key);
        return typeof value === "number" ? value : undefined;
      },
      set: (key, value) => {
        store.set(key, value);
        this.#planned++;
      },
    });
    this.#env = loadPolyGuard({
      store,
      bestJ: (context) => {
        const begun = performance.now();
        const bestJ = plan(context);
        this.#oracleMs += performance.now() - begun;
        return bestJ;
      },
    }).makeEnv() as SyncEnv;
  }

  async play({ scenarioId, plays }: EvaluationJob): Promise<WorkerAnswer> {
    this.#found = [];
    this.#planned = 0;
    this.#oracleMs = 0;
    const rows: EvaluationRow[] = [];
    const failures: EvaluationFailure[] = [];
    for (const play of plays)
      try {
        const { perturbation, variant } = play;
        const policy = await this.#policy(play);
        rows.push(
          await evaluateEpisode(this.#env, policy, { scenarioId, perturbation, variant, brands: this.#brands }),
        );
      } catch (error) {
        const { code, message } = toPraxisError(error);
        failures.push({ scenarioId, ...play, code, message });
      }
    return {
      result: { scenarioId, rows, failures },
      found: this.#found,
      planned: this.#planned,
      oracleMs: this.#oracleMs,
    };
  }

  async #policy({ policy: name, variant }: EvaluationPlay): Promise<PolyguardPolicy> {
    const key = `${name}|${variant ?? ""}`;
    let policy: (PolyguardPolicy & Policy) | undefined = this.#policies.get(key);
    if (policy === undefined) {
      const place = this.#learned.find((each) => each.name === name);
      if (place !== undefined) policy = await placedPolicy(place);
      else if (variant === null) policy = makePolyguardPolicy(name, this.#env);
      else policy = makePlannerCriticPolicy({ kb: loadBundledKnowledgeBase(), options: teamVariant(variant) });
      this.#policies.set(key, policy);
    }
    return policy;
  }
}
