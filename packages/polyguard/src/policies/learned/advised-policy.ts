import type { StepAction } from "../../actions/schema.ts";
import { CANDIDATE_FIELDS } from "../../features/layout.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import type { Observation } from "../../observation/schema.ts";
import type { PolyGuardPolicy } from "../own-play.ts";
import { AGENT_FIELDS, SCENE_SHAPE } from "./layout.ts";
import { ALL_SHOWN, PolyGuardSceneReader } from "./scene-reader.ts";

const ADVISED = CANDIDATE_FIELDS.length + AGENT_FIELDS.indexOf("advised");
/** Stated with every choice; learners state their own. */
const CONFIDENCE = 0.7;

/**
 * Does what scenes mark as advised: the rules, unless the expected course, an estimate or a specialist says better. About as good as
 * planner_critic, from the observation alone, in a fraction of its time. Nothing is chosen where nothing is advised.
 */
export function makeAdvisedPolicy(kb: KnowledgeBase): PolyGuardPolicy {
  let reader = new PolyGuardSceneReader(kb, ALL_SHOWN);
  return {
    name: "advised",
    reset: () => {
      reader = new PolyGuardSceneReader(kb, ALL_SHOWN);
    },
    act: (observation: Observation): StepAction => {
      const { candidates, candidateCount } = reader.read({ observation, info: {} });
      for (let i = 0; i < candidateCount; i++)
        if (candidates[i * SCENE_SHAPE.candidates + ADVISED] === 1) return reader.choose(i, CONFIDENCE);
      return { raw: "" };
    },
  };
}
