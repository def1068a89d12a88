import type { ResetResult, StepResult } from "@praxis/env";
import type { CallRecord } from "./engine/log.ts";
import type { SpindleFlowObservation } from "./observation.ts";

/** Text of an episode for a terminal. */
export interface SpindleFlowRenderer {
  /** The first task and the roster. */
  reset(result: ResetResult<unknown>): string;
  /** One step: action, calls with time and score, violations, reward, and the next task where one ended. */
  step(
    step: { readonly step: number; readonly action: unknown; readonly reward: number },
    result: StepResult<unknown>,
  ): string;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function taskLines({ summary }: SpindleFlowObservation): string[] {
  return [`task ${summary.task_number} of ${summary.tasks}: ${summary.task}`];
}

function rosterLines({ summary }: SpindleFlowObservation): string[] {
  return summary.roster.map(({ slot, role, text, status }) =>
    status === "empty" ? `  slot ${slot}  (empty)` : `  slot ${slot}  ${role}: ${text}`,
  );
}

function callLine({ caller, callee, mode, status, startMs, endMs, score }: CallRecord): string {
  const name = (party: CallRecord["caller"]): string => (typeof party === "number" ? `slot ${party}` : party);
  const shown = score === null ? "" : `, own score ${score.toFixed(2)}`;
  return `  ${name(caller)} → ${name(callee)} (${mode}) ${status}, ${seconds(endMs - startMs)}${shown}`;
}

/** Readable text of SpindleFlow episodes. */
export function renderSpindleFlow(): SpindleFlowRenderer {
  return {
    reset: (result) => {
      const observation = result.observation as SpindleFlowObservation;
      return [...taskLines(observation), ...rosterLines(observation)].join("\n");
    },
    step: ({ step, action, reward }, result) => {
      const observation = result.observation as SpindleFlowObservation;
      const { info } = result;
      const ended = info.taskEnded as { readonly by: string } | undefined;
      const parts = Object.entries(info.rewardComponents ?? {}).map(([name, value]) => `${name} ${value.toFixed(3)}`);
      return [
        `step ${step}  ${JSON.stringify(info.action ?? action)}`,
        ...(info.calls as readonly CallRecord[]).map(callLine),
        ...observation.violations.map(({ kind, message }) => `  violation ${kind}: ${message}`),
        `  reward ${reward.toFixed(3)}, elapsed ${seconds(info.elapsedMs as number)}, measured quality ${observation.summary.measured_quality.toFixed(2)}`,
        ...(ended === undefined ? [] : [`  task ended by ${ended.by}: ${parts.join(", ")}`]),
        ...(ended === undefined || result.terminated ? [] : taskLines(observation)),
      ].join("\n");
    },
  };
}
