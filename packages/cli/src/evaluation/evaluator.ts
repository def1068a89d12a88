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
import type { EvaluationFailure, EvaluationJob, FoundBestJ, WorkerAnswer } from "./jobs.ts";

type PolyguardPolicy = ReturnType<typeof makePolyguardPolicy>;

/** Plays jobs one after another in one environment, with J_best values known before. */
export class Evaluator {
  readonly #env: SyncEnv;
  readonly #known: Map<string, number>;
  readonly #policies = new Map<string, PolyguardPolicy>();
  #found: FoundBestJ[] = [];
  #oracleMs = 0;

  constructor(bestJ: readonly FoundBestJ[]) {
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
          rows.push(await evaluateEpisode(this.#env, this.#policy(name), { scenarioId, perturbation }));
        } catch (error) {
          const { code, message } = toPraxisError(error);
          failures.push({ scenarioId, policy: name, perturbation, code, message });
        }
    return { result: { scenarioId, rows, failures }, found: this.#found, oracleMs: this.#oracleMs };
  }

  #policy(name: string): PolyguardPolicy {
    let policy: (PolyguardPolicy & Policy) | undefined = this.#policies.get(name);
    if (policy === undefined) {
      policy = makePolyguardPolicy(name, this.#env);
      this.#policies.set(name, policy);
    }
    return policy;
  }
}
