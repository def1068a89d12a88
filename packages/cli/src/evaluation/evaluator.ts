import { performance } from "node:perf_hooks";
import { type Policy, type SyncEnv, toPraxisError } from "@praxis/env";
import {
  type EvaluationRow,
  evaluateEpisode,
  loadBundledKnowledgeBase,
  loadPolyGuard,
  makeBestJ,
  makePolyguardPolicy,
} from "@praxis/polyguard";
import { placedPolicy } from "../learning/placed-policy.ts";
import type {
  EvaluationFailure,
  EvaluationJob,
  FoundBestJ,
  LearnedPolicyPlace,
  WorkerAnswer,
  WorkerStart,
} from "./jobs.ts";

type PolyguardPolicy = ReturnType<typeof makePolyguardPolicy>;

/** Plays jobs one after another in one environment, with J_best values known before. */
export class Evaluator {
  readonly #env: SyncEnv;
  readonly #known: Map<string, number>;
  readonly #policies = new Map<string, PolyguardPolicy>();
  readonly #learned: readonly LearnedPolicyPlace[];
  #found: FoundBestJ[] = [];
  #oracleMs = 0;

  constructor({ bestJ, learned }: WorkerStart) {
    this.#learned = learned;
    this.#known = new Map(bestJ);
    const plan = makeBestJ(loadBundledKnowledgeBase(), {
      get: (key) => this.#known.get(key),
      set: (key, value) => {
        this.#known.set(key, value);
        this.#found.push([key, value]);
      },
    });
    this.#env = loadPolyGuard({
      bestJ: (context) => {
        const begun = performance.now();
        const bestJ = plan(context);
        this.#oracleMs += performance.now() - begun;
        return bestJ;
      },
    }).makeEnv() as SyncEnv;
  }

  async play({ scenarioId, policies, perturbations }: EvaluationJob): Promise<WorkerAnswer> {
    this.#found = [];
    this.#oracleMs = 0;
    const rows: EvaluationRow[] = [];
    const failures: EvaluationFailure[] = [];
    for (const name of policies)
      for (const perturbation of perturbations)
        try {
          rows.push(await evaluateEpisode(this.#env, await this.#policy(name), { scenarioId, perturbation }));
        } catch (error) {
          const { code, message } = toPraxisError(error);
          failures.push({ scenarioId, policy: name, perturbation, code, message });
        }
    return { result: { scenarioId, rows, failures }, found: this.#found, oracleMs: this.#oracleMs };
  }

  async #policy(name: string): Promise<PolyguardPolicy> {
    let policy: (PolyguardPolicy & Policy) | undefined = this.#policies.get(name);
    if (policy === undefined) {
      const place = this.#learned.find((each) => each.name === name);
      policy = place === undefined ? makePolyguardPolicy(name, this.#env) : await placedPolicy(place);
      this.#policies.set(name, policy);
    }
    return policy;
  }
}
