import { compileJsonSchema } from "../../config/json-schema.ts";
import type { SubflowStep } from "../../config/plan.ts";
import { FlowError } from "../../errors.ts";
import { asText, evaluate, plain, TextValue } from "../../expression/evaluate.ts";
import { type Execute, type Frame, letsGoOn, namesOf, type Outcome, renderIn } from "../frame.ts";
import { wholeJson } from "../json-text.ts";
import { Store } from "../store.ts";

const MAX_DEPTH = 5;

/** Runs another flow file with its own agents, models and context; its outputs are the step's. */
export async function runSubflow(step: SubflowStep, frame: Frame, execute: Execute): Promise<Outcome> {
  const { flow } = step;
  const files = [...frame.files, flow.file];
  // Files are checked when they are read; plans made in code come through here too.
  if (frame.files.includes(flow.file))
    throw new FlowError("E410", "internal", `The subflow comes back to '${flow.file}': ${files.join(" → ")}.`);
  if (files.length > MAX_DEPTH + 1)
    throw new FlowError(
      "E410",
      "internal",
      `Subflows are nested deeper than ${MAX_DEPTH} levels: ${files.join(" → ")}.`,
    );
  const given = step.input === undefined ? frame.defaultInput : renderIn(frame, step.input);
  const input = fitInput(given, flow.inputSchema, step.id);
  const inner: Frame = {
    ...frame,
    plan: flow,
    store: new Store(),
    role: undefined,
    input,
    defaultInput: input,
    items: {},
    iteration: 0,
    parentStepId: null,
    files,
  };
  const outcome = await execute(flow.workflow, inner);
  if (!letsGoOn(outcome)) return outcome;
  const outputs = computeOutputs(inner);
  const values = Object.values(outputs);
  return {
    status: "completed",
    text: values.length === 1 ? asText(values[0]) : JSON.stringify(outputs),
    json: values.length === 1 ? (typeof values[0] === "string" ? (wholeJson(values[0]) ?? null) : values[0]) : outputs,
  };
}

/** The outputs of a flow as plain values. */
export function computeOutputs(frame: Frame): Record<string, unknown> {
  const names = namesOf(frame);
  return Object.fromEntries(
    frame.plan.outputs.map(([name, expression]) => {
      const value = evaluate(expression, names);
      return [name, value instanceof TextValue ? plain(value) : unwrap(value)];
    }),
  );
}

/** Outputs nested in other values become their fields. */
function unwrap(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (_, inner: unknown) => (inner instanceof TextValue ? inner.fields : inner)),
  ) as unknown;
}

/** Input as the schema wants it: JSON text is read where anything but text is asked for. @throws FlowError E405 */
export function fitInput(given: unknown, schema: Readonly<Record<string, unknown>>, name: string): unknown {
  const check = compileJsonSchema(schema);
  const fault = check(given);
  if (fault === null) return given;
  const parsed = typeof given === "string" ? wholeJson(given) : undefined;
  if (parsed !== undefined && check(parsed) === null) return parsed;
  throw new FlowError(
    "E405",
    "bad_output",
    `The input of '${name}' does not fit its schema: ${parsed === undefined ? fault : check(parsed)}.`,
  );
}
