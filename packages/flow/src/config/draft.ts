import type { ConfigDocument, ConfigPath } from "./document.ts";
import { WORKFLOW_TYPES, type WorkflowType } from "./step-schema.ts";

/** A map of unchecked data. */
export type Raw = Readonly<Record<string, unknown>>;

/**
 * A step as it stands in the file, before it is known to be right: checks of meaning run over drafts, so that a file
 * with a wrong type in one place still gets its unknown agent in another reported.
 */
export interface DraftStep {
  readonly kind: WorkflowType | "agent" | "invalid";
  readonly document: ConfigDocument;
  readonly path: ConfigPath;
  readonly raw: Raw;
  /** Agent of an agent step, or the reviewer or aggregator. */
  readonly agent: string | undefined;
  readonly agentPath: ConfigPath;
  readonly children: readonly DraftStep[];
  /** The agent of `then`, or the reviewer of a feedback step. */
  readonly closing: DraftStep | undefined;
  /** Name and needs of a DAG node. */
  readonly node:
    | { readonly name: string; readonly needs: readonly { readonly name: string; readonly path: ConfigPath }[] }
    | undefined;
  id: string;
  readonly explicitId: string | undefined;
}

/** `value` as map, else undefined. */
export function asMap(value: unknown): Raw | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Raw) : undefined;
}

/** `value` as list, else an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `value` as text, else undefined. */
export function asString(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Reads a workflow into drafts and gives every step its id. */
export function draftWorkflow(document: ConfigDocument): DraftStep | undefined {
  const raw = asMap(document.data.workflow);
  if (raw === undefined) return undefined;
  const step = draftStep(document, raw, ["workflow"]);
  assignIds(step);
  return step;
}

function draftStep(document: ConfigDocument, value: unknown, path: ConfigPath): DraftStep {
  if (typeof value === "string")
    return { ...blank(document, path), kind: "agent", agent: asString(value), agentPath: path };
  const raw = asMap(value);
  if (raw === undefined) return blank(document, path);
  const type = raw.type;
  const base = { ...blank(document, path), raw, explicitId: asString(raw.id) };
  if (type === undefined) return { ...base, kind: "agent", agent: asString(raw.agent), agentPath: [...path, "agent"] };
  const kind = WORKFLOW_TYPES.find((name) => name === type);
  if (kind === undefined) return base;
  const list = (key: string): DraftStep[] =>
    asList(raw[key]).map((item, i) => draftStep(document, item, [...path, key, i]));
  switch (kind) {
    case "sequential":
      return { ...base, kind, children: list("steps") };
    case "parallel": {
      const then = asMap(raw.then);
      return {
        ...base,
        kind,
        children: list("branches"),
        closing: then === undefined ? undefined : draftStep(document, withoutLoop(then), [...path, "then"]),
      };
    }
    case "feedback": {
      const review = asString(raw.review);
      return {
        ...base,
        kind,
        children: list("produce"),
        closing: review === undefined ? undefined : draftStep(document, review, [...path, "review"]),
      };
    }
    case "dag":
      return {
        ...base,
        kind,
        children: Object.entries(asMap(raw.nodes) ?? {}).map(([name, node]) =>
          draftNode(document, name, node, [...path, "nodes", name]),
        ),
      };
    case "branch": {
      const cases = asList(raw.cases).map((item, i) =>
        draftStep(document, asMap(item)?.do, [...path, "cases", i, "do"]),
      );
      return {
        ...base,
        kind,
        children: raw.else === undefined ? cases : [...cases, draftStep(document, raw.else, [...path, "else"])],
      };
    }
    case "loop":
    case "foreach":
      return { ...base, kind, children: raw.do === undefined ? [] : [draftStep(document, raw.do, [...path, "do"])] };
    case "subflow":
    case "human":
    case "delegate":
      return { ...base, kind };
  }
}

function withoutLoop(then: Raw): Raw {
  const { feedback_loop: _, ...rest } = then;
  return rest;
}

function draftNode(document: ConfigDocument, name: string, value: unknown, path: ConfigPath): DraftStep {
  const raw = asMap(value);
  const needs = asList(raw?.needs).flatMap((need, i) =>
    typeof need === "string" ? [{ name: need, path: [...path, "needs", i] }] : [],
  );
  const step = draftStep(document, value, path);
  // A node's name is its id: dependants and expressions know it by that.
  return { ...step, explicitId: step.explicitId ?? name, node: { name, needs } };
}

function blank(document: ConfigDocument, path: ConfigPath): DraftStep {
  return {
    kind: "invalid",
    document,
    path,
    raw: {},
    agent: undefined,
    agentPath: path,
    children: [],
    closing: undefined,
    node: undefined,
    id: "",
    explicitId: undefined,
  };
}

/** Every step, parents before their children, in file order. */
export function* allSteps(step: DraftStep): Generator<DraftStep> {
  yield step;
  for (const child of step.children) yield* allSteps(child);
  if (step.closing !== undefined) yield* allSteps(step.closing);
}

/** Written ids first; then the agent's id or the type, with `#2` and so on where that is taken. */
function assignIds(root: DraftStep): void {
  const taken = new Set<string>();
  for (const step of allSteps(root)) {
    if (step.explicitId === undefined) continue;
    step.id = step.explicitId;
    taken.add(step.id);
  }
  for (const step of allSteps(root)) {
    if (step.explicitId !== undefined) continue;
    const stem = step.agent ?? step.kind;
    let id = stem;
    for (let n = 2; taken.has(id); n++) id = `${stem}#${n}`;
    step.id = id;
    taken.add(id);
  }
}
