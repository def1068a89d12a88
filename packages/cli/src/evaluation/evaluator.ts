import { performance } from "node:perf_hooks";
import { type SyncEnv, toPraxisError } from "@praxis/env";
import {
  type EvaluationRow,
  evaluateEpisode,
  loadBundledBrandNames,
  loadBundledKnowledgeBase,
  loadPolyGuard,
  makeBestJ,
  makePlannerCriticPolicy,
  makePolyguardPolicy,
  teamVariant,
} from "@praxis/polyguard";
import type { EvaluationFailure, EvaluationJob, EvaluationPlay, FoundBestJ, WorkerAnswer } from "./jobs.ts";

type PolyguardPolicy = ReturnType<typeof makePolyguardPolicy>;

/** Plays jobs one after another in one environment, with J_best values known before. */
export class Evaluator {
  readonly #env: SyncEnv;
  readonly #known: Map<string, number>;
  readonly #policies = new Map<string, PolyguardPolicy>();
  readonly #brands = loadBundledBrandNames();
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

  async play({ scenarioId, plays }: EvaluationJob): Promise<WorkerAnswer> {
    this.#found = [];
    this.#oracleMs = 0;
    const rows: EvaluationRow[] = [];
    const failures: EvaluationFailure[] = [];
    for (const play of plays)
      try {
        const { perturbation, variant } = play;
        const policy = this.#policy(play);
        rows.push(
          await evaluateEpisode(this.#env, policy, { scenarioId, perturbation, variant, brands: this.#brands }),
        );
      } catch (error) {
        const { code, message } = toPraxisError(error);
        failures.push({ scenarioId, ...play, code, message });
      }
    return { result: { scenarioId, rows, failures }, found: this.#found, oracleMs: this.#oracleMs };
  }

  #policy({ policy: name, variant }: EvaluationPlay): PolyguardPolicy {
    const key = `${name}|${variant ?? ""}`;
    let policy = this.#policies.get(key);
    if (policy === undefined) {
      policy =
        variant === null
          ? makePolyguardPolicy(name, this.#env)
          : makePlannerCriticPolicy({ kb: loadBundledKnowledgeBase(), options: teamVariant(variant) });
      this.#policies.set(key, policy);
    }
    return policy;
  }
}
