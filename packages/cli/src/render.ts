import type { EnvDefinition, ResetResult, StepResult, Trace, TraceStep } from "@praxis/env";
import { renderPolyguard } from "@praxis/polyguard";
import { renderSpindleFlow } from "@praxis/spindleflow";

/** Text of an episode for a terminal. */
export interface Renderer {
  reset(result: ResetResult<unknown>): string;
  step(step: TraceStep, result: StepResult<unknown>): string;
  end(trace: Trace): string;
}

const fixed = (value: number): string => value.toFixed(3);

/** Reward by component, return and reason: what every environment's last lines say. */
function renderEnd(trace: Trace): string {
  const last = trace.steps.at(-1);
  const how =
    last === undefined ? "no step" : last.terminated ? "terminated" : last.truncated ? "truncated" : "stopped";
  const reason = last?.terminationReason === undefined ? "" : ` (${last.terminationReason})`;
  return `${trace.steps.length} steps, ${how}${reason}, sum of rewards ${fixed(trace.end?.return ?? 0)}, seed ${trace.header.seed}`;
}

const plain: Renderer = {
  reset: (result) => `reset  ${JSON.stringify(result.observation)}`,
  step: (step, result) => {
    const components = Object.entries(step.rewardComponents).map(([name, value]) => `${name} ${fixed(value)}`);
    const violations = step.violations.map((violation) => `\n  violation ${violation.kind}: ${violation.message}`);
    return `step ${step.step}  ${JSON.stringify(step.action)}\n  reward ${fixed(step.reward)}${components.length === 0 ? "" : `  (${components.join(", ")})`}${violations.join("")}\n  ${JSON.stringify(result.observation)}`;
  },
  end: renderEnd,
};

/** The environment's own text form, or plain JSON lines. */
export function rendererFor(definition: EnvDefinition): Renderer {
  if (definition.name === "polyguard") return { ...renderPolyguard(), end: renderEnd };
  return definition.name === "spindleflow" ? { ...renderSpindleFlow(), end: renderEnd } : plain;
}
