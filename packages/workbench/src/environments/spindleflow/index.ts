import type { EnvironmentModule } from "../module.ts";
import { SpindleFlowAct } from "./act.tsx";
import { SpindleFlowCompare } from "./compare.tsx";
import { describeAction } from "./observation.ts";
import { SpindleFlowView } from "./view.tsx";
import { SpindleFlowReward } from "./waterfall.tsx";

/** SpindleFlow: an orchestrator that learns whom to call, how, and when to stop. */
export const spindleflow: EnvironmentModule = {
  name: "spindleflow",
  // Base64 is a quarter of the numbers' size, and nobody reads five thousand of them.
  resetDefaults: { encoding: "base64" },
  presets: [
    { name: "One task", seed: 3, options: { tasksPerEpisode: 1 } },
    { name: "A shift of five", seed: 3, options: {} },
    { name: "Large tasks", seed: 8, options: { class: "enterprise", tasksPerEpisode: 2 } },
  ],
  pairs: [
    ["set", "greedyMediate"],
    ["random", "greedyMediate"],
  ],
  firstPolicies: ["greedyMediate"],
  toAction: (_observation, candidate) => candidate,
  describe: (turn) => describeAction(turn.action, turn.result.info as Readonly<Record<string, unknown>>),
  noteOffers: async () => null,
  View: SpindleFlowView,
  Reward: SpindleFlowReward,
  Act: SpindleFlowAct,
  Compare: SpindleFlowCompare,
};
