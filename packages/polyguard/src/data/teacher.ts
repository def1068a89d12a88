import type { SyncEnv } from "@praxis/env";
import { loadBundledKnowledgeBase } from "../kb/node.ts";
import type { SearchOptions } from "../policies/beam-search.ts";
import { makePolyguardPolicy } from "../policies/index.ts";
import { makeAdvisedPolicy } from "../policies/learned/advised-policy.ts";
import { makeOraclePolicy } from "../policies/oracle-policy.ts";
import { type PolyGuardPolicy, withOwnPlay } from "../policies/own-play.ts";
import { makeKnownPlanner } from "../policies/typical-patient.ts";

/**
 * A narrower beam than the reference planner's, in some two fifths of its time.
 * assumption: it gives up about a fifth of what the wide beam gains over the rules in J, and a data set needs thousands of plans.
 */
const TEACHER_SEARCH: SearchOptions = { width: 3, branching: 4, macroNodes: 1, macroStarts: 2 };

/** The policy of that name as a teacher: oracle_known plans with a narrower beam. Throws UNKNOWN_NAME. */
export function makeTeacher(name: string, env: SyncEnv): PolyGuardPolicy {
  if (name !== "oracle_known") return makePolyguardPolicy(name, env);
  const oracle = makeOraclePolicy(name, env, () => makeKnownPlanner(TEACHER_SEARCH));
  return withOwnPlay(oracle, { kb: loadBundledKnowledgeBase(), env });
}

/** The policy of that name as an expert: `advised` does what scenes mark as advised. Throws UNKNOWN_NAME. */
export function makeExpert(name: string, env: SyncEnv): PolyGuardPolicy {
  return name === "advised" ? makeAdvisedPolicy(loadBundledKnowledgeBase()) : makePolyguardPolicy(name, env);
}
