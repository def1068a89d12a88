import type { FlowPlan, JsonSchema, StepPlan } from "../config/plan.ts";
import type { FlowError } from "../errors.ts";
import { type Expression, type Template, visitExpression } from "../expression/ast.ts";
import { evaluate, isTruthy, LazyMap, type Scope as Names, renderTemplate, TextValue } from "../expression/evaluate.ts";
import type { CallMeta } from "../providers/model.ts";
import { fenceText } from "./fence.ts";
import { wholeJson } from "./json-text.ts";
import type { Ledger } from "./ledger.ts";
import type { PromptParts } from "./prompts.ts";
import type { RunContext } from "./run-context.ts";
import type { Scope } from "./scope.ts";
import type { StepRecord, Store } from "./store.ts";

/** Where a step runs. */
export interface Frame {
  readonly run: RunContext;
  readonly plan: FlowPlan;
  readonly store: Store;
  readonly scope: Scope;
  readonly ledger: Ledger;
  /** Path of what contains the step. */
  readonly path: string;
  readonly parentStepId: string | null;
  readonly iteration: number;
  /** The run's or subflow's input. */
  readonly input: unknown;
  /** What a step without `input` works on: the input, inside a foreach the item. */
  readonly defaultInput: unknown;
  /** Items of the foreach loops around, by name. */
  readonly items: Readonly<Record<string, unknown>>;
  /** Files around: of the flow, and of each flow that called it. */
  readonly files: readonly string[];
  /** What the agent step is told beside its task; set by the step that runs it. */
  readonly role?: AgentRole | undefined;
}

/** The part that an agent step plays in the step around it. */
export interface AgentRole {
  readonly kind: CallMeta["kind"];
  readonly ask: string;
  readonly parts: Partial<PromptParts>;
  readonly softSchema?: JsonSchema;
  readonly names?: CallMeta["names"];
  readonly round?: number;
}

/** How a step ended. */
export type Outcome =
  | { readonly status: "completed"; readonly text: string; readonly json: unknown }
  | { readonly status: "skipped" }
  | {
      readonly status: "failed";
      readonly error: FlowError /** `on_error: continue`: later steps go on. */;
      readonly tolerated: boolean;
    }
  | { readonly status: "cancelled"; readonly error: FlowError }
  | { readonly status: "suspended" };

/** Runs a step in a frame; handed to the kinds of step, which contain others. */
export type Execute = (step: StepPlan, frame: Frame) => Promise<Outcome>;

/** Whether later steps may go on after it. */
export function letsGoOn(outcome: Outcome): boolean {
  return (
    outcome.status === "completed" || outcome.status === "skipped" || (outcome.status === "failed" && outcome.tolerated)
  );
}

/** A record as expressions see it. */
function outputView(record: StepRecord): TextValue {
  return new TextValue(record.text, {
    text: record.text,
    json: record.json ?? wholeJson(record.text) ?? null,
    error: record.error,
    usage: record.usage,
    status: record.status,
    iteration: record.iteration,
  });
}

/** What expressions of a step can name. */
export function namesOf(frame: Frame): Names {
  const { store, run, plan } = frame;
  return {
    root(name) {
      if (Object.hasOwn(frame.items, name)) return frame.items[name];
      switch (name) {
        case "input":
          return frame.input;
        case "outputs":
          return new LazyMap((id) => viewOf(store, id));
        case "run":
          return { id: run.runId, name: plan.name };
        case "vars":
          return store.variables();
        case "iteration":
          return frame.iteration;
        default:
          return undefined;
      }
    },
    history: (stepId) => store.history(stepId).map(outputView),
  };
}

/** The newest output of a step; of a step that only failed, its error. */
function viewOf(store: Store, id: string): TextValue | undefined {
  const record = store.newest(id) ?? store.latest(id);
  return record === undefined || record.status === "not_run" || record.status === "skipped"
    ? undefined
    : outputView(record);
}

/** Value of an expression. @throws FlowError */
export function evaluateIn(frame: Frame, expression: Expression): unknown {
  return evaluate(expression, namesOf(frame));
}

/** Truth of an expression. @throws FlowError */
export function holdsIn(frame: Frame, expression: Expression): boolean {
  return isTruthy(evaluateIn(frame, expression));
}

/** Text of a template. @throws FlowError E402 */
export function renderIn(frame: Frame, template: Template): string {
  return renderTemplate(template, namesOf(frame));
}

/** assumption: longer texts, or ones of several lines, are work and not names or numbers. */
const SHORT = 120;

/**
 * Text of an agent's task. What other agents, tools or lists put into it stands in fences like all quoted work; short
 * values of one line (names, numbers, words of a choice) stay as they are unless they look like instructions.
 */
export function renderTask(frame: Frame, template: Template): string {
  const { run } = frame;
  return renderTemplate(template, namesOf(frame), (text, expression) => {
    const source = quotedRoot(frame, expression);
    if (source === undefined || (text.length <= SHORT && !/[\n<]/.test(text) && run.injectionFlags(text).length === 0))
      return text;
    return fenceText(run.fenceTag, { author: source }, text);
  });
}

/** The path whose value comes from elsewhere than the file and the run's input; undefined where there is none. */
function quotedRoot(frame: Frame, expression: Expression): string | undefined {
  let found: string | undefined;
  visitExpression(expression, (node) => {
    if (node.kind === "call" && node.name === "history") found ??= "history";
    if (
      node.kind === "path" &&
      (node.root === "outputs" || node.root === "vars" || Object.hasOwn(frame.items, node.root))
    )
      found ??= [node.root, ...node.steps].join(".");
  });
  return found;
}

/** The input of a flow as text for an agent. */
export function inputText(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}
