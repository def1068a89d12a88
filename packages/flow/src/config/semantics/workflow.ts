import { visitExpression } from "../../expression/ast.ts";
import { parseExpression } from "../../expression/parse.ts";
import { allSteps, asList, asMap, asString, type DraftStep } from "../draft.ts";
import { nearestName } from "../nearest.ts";
import { pathText } from "../schema-problems.ts";
import { checkAgentReference, checkModelReference, checkSchemaAt } from "./agents.ts";
import type { Names } from "./collect.ts";
import { checkDag } from "./dag.ts";
import { checkExpression, checkTemplate, joinVisible, NOTHING, type Visible } from "./expressions.ts";

/** What a step leaves for later ones. */
type Leaves = Pick<Visible, "steps" | "vars">;

/** Checks the workflow: references, ids, branches, feedback, DAGs, expressions and what they can see. */
export function checkWorkflow(names: Names, root: DraftStep): void {
  new WorkflowCheck(names, root).run();
}

class WorkflowCheck {
  readonly #names: Names;
  readonly #root: DraftStep;
  readonly #ids: ReadonlySet<string>;

  constructor(names: Names, root: DraftStep) {
    this.#names = names;
    this.#root = root;
    this.#ids = new Set([...allSteps(root)].map((step) => step.id));
  }

  run(): void {
    this.#checkIds();
    const leaves = this.#walk(this.#root, NOTHING);
    this.#checkOutputs(joinVisible(NOTHING, leaves));
  }

  #checkIds(): void {
    const seen = new Map<string, DraftStep>();
    for (const step of allSteps(this.#root)) {
      if (step.explicitId === undefined) continue;
      const first = seen.get(step.explicitId);
      if (first === undefined) {
        seen.set(step.explicitId, step);
        continue;
      }
      const range = idRange(step);
      const place = idRange(first);
      this.#names.report(
        "E209",
        range,
        `The step id "${step.explicitId}" is used twice (first on line ${place.line}).`,
        { related: [{ file: place.file, line: place.line, column: place.column, message: "first used here" }] },
      );
    }
  }

  #checkOutputs(visible: Visible): void {
    const { document } = this.#names;
    const outputs = asMap(document.data.outputs) ?? {};
    for (const [name, text] of Object.entries(outputs))
      checkExpression(this.#names, document, ["outputs", name], text, visible, this.#ids);
    if (this.#root.kind === "dag" && Object.keys(outputs).length > 0) this.#checkReachable(Object.values(outputs));
  }

  /** E226: nodes of the top-level DAG on which no output depends. */
  #checkReachable(outputs: readonly unknown[]): void {
    const used = new Set<string>();
    for (const text of outputs) {
      const parsed = parseExpression(String(text));
      if ("fault" in parsed) return;
      visitExpression(parsed.expression, (node) => {
        if (node.kind === "path" && node.root === "outputs")
          for (const step of this.#root.children)
            if (contains(step, String(node.steps[0])) || node.steps.length === 0) used.add(step.node!.name);
        if (node.kind === "path" && node.root === "vars")
          for (const step of this.#root.children)
            if (savedNames(step).has(String(node.steps[0]))) used.add(step.node!.name);
      });
    }
    // The DAG's own id stands for all of its nodes.
    if (outputs.some((text) => String(text).includes(`outputs.${this.#root.id}`))) return;
    const open = [...used];
    for (let name = open.pop(); name !== undefined; name = open.pop())
      for (const need of this.#root.children.find((step) => step.node!.name === name)?.node?.needs ?? [])
        if (!used.has(need.name)) {
          used.add(need.name);
          open.push(need.name);
        }
    for (const step of this.#root.children)
      if (!used.has(step.node!.name))
        this.#names.report(
          "E226",
          step.document.keyRange(step.path),
          `No output depends on the node "${step.node!.name}".`,
        );
  }

  #walk(step: DraftStep, visible: Visible): Leaves {
    const { raw, document, path } = step;
    const names = this.#names;
    const expression = (key: string, seen: Visible): void =>
      checkExpression(names, document, [...path, key], raw[key], seen, this.#ids);
    expression("when", visible);
    checkTemplate(names, document, [...path, "input"], raw.input, visible, this.#ids);
    checkModelReference(names, document, [...path, "model"], asString(raw.model));
    this.#checkContext(step, visible);
    const fallback = asString(asMap(raw.on_error)?.agent);
    if (fallback !== undefined) checkAgentReference(names, document, [...path, "on_error", "agent"], fallback);
    const inner = this.#walkKind(step, visible);
    const vars = new Set(inner.vars);
    const saved = asString(raw.save_as);
    if (saved !== undefined) vars.add(saved);
    return { steps: new Set([...inner.steps, step.id]), vars };
  }

  #walkKind(step: DraftStep, visible: Visible): Leaves {
    const { raw, document, path } = step;
    switch (step.kind) {
      case "agent":
        if (step.agent !== undefined) checkAgentReference(this.#names, document, step.agentPath, step.agent);
        return NOTHING;
      case "sequential": {
        let seen = visible;
        let left: Visible = NOTHING;
        for (const child of step.children) {
          const leaves = this.#walk(child, seen);
          seen = joinVisible(seen, leaves);
          left = joinVisible(left, leaves);
        }
        return left;
      }
      case "parallel":
      case "feedback":
        return this.#walkParallel(step, visible);
      case "dag":
        return this.#walkDag(step, visible);
      case "branch": {
        let left: Visible = NOTHING;
        for (const [i, item] of asList(raw.cases).entries())
          checkExpression(this.#names, document, [...path, "cases", i, "when"], asMap(item)?.when, visible, this.#ids);
        for (const child of step.children) left = joinVisible(left, this.#walk(child, visible));
        return left;
      }
      case "loop": {
        let left: Visible = NOTHING;
        for (const child of step.children) left = joinVisible(left, this.#walk(child, visible));
        checkExpression(this.#names, document, [...path, "until"], raw.until, joinVisible(visible, left), this.#ids);
        return left;
      }
      case "foreach": {
        checkExpression(this.#names, document, [...path, "items"], raw.items, visible, this.#ids);
        const item = asString(raw.as) ?? "item";
        for (const child of step.children) this.#walk(child, { ...visible, items: [...visible.items, item, "index"] });
        const collect = asString(raw.collect);
        return { steps: new Set(), vars: new Set(collect === undefined ? [] : [collect]) };
      }
      case "human": {
        checkTemplate(this.#names, document, [...path, "prompt"], raw.prompt, visible, this.#ids);
        const schema = asMap(raw.schema);
        if (schema !== undefined) checkSchemaAt(this.#names, document, [...path, "schema"], schema);
        return NOTHING;
      }
      case "delegate":
        for (const [i, id] of asList(raw.roster).entries())
          if (typeof id === "string") checkAgentReference(this.#names, document, [...path, "roster", i], id);
        if (raw.roster === "catalog" && this.#names.document.data.catalog === undefined)
          this.#names.report(
            "E201",
            document.valueRange([...path, "roster"]),
            `${pathText([...path, "roster"])} is "catalog", but the file names no 'catalog'.`,
          );
        return NOTHING;
      case "subflow":
      case "invalid":
        return NOTHING;
    }
  }

  #walkParallel(step: DraftStep, visible: Visible): Leaves {
    let left: Visible = NOTHING;
    for (const child of step.children) left = joinVisible(left, this.#walk(child, visible));
    this.#checkBranches(step);
    this.#checkSavedTwice(step.children);
    if (step.closing !== undefined) {
      const seen = joinVisible(visible, left);
      left = joinVisible(left, this.#walk(step.closing, seen));
    }
    return left;
  }

  #checkBranches(step: DraftStep): void {
    const wanted = asMap(step.raw.join)?.n;
    if (typeof wanted === "number" && step.children.length > 0 && wanted > step.children.length)
      this.#names.report(
        "E208",
        step.document.valueRange([...step.path, "join", "n"]),
        `${pathText([...step.path, "join", "n"])} is ${wanted}, but there are ${step.children.length} branches.`,
      );
    const first = new Map<string, DraftStep>();
    for (const child of step.children) {
      if (child.agent === undefined) continue;
      if (step.closing?.agent === child.agent) {
        const word = step.kind === "feedback" ? "reviewer" : "aggregator";
        this.#names.report(
          "E221",
          step.document.valueRange(step.closing.agentPath),
          `The ${word} "${child.agent}" is also a ${step.kind === "feedback" ? "producer" : "branch"}; it would judge its own work.`,
        );
      }
      if (child.explicitId !== undefined) continue;
      const earlier = first.get(child.agent);
      if (earlier === undefined) first.set(child.agent, child);
      else {
        const place = earlier.document.valueRange(earlier.agentPath);
        this.#names.report(
          "E222",
          child.document.valueRange(child.agentPath),
          `The agent "${child.agent}" is a branch twice (first on line ${place.line}); give each an 'id' of its own.`,
          {
            related: [{ file: place.file, line: place.line, column: place.column, message: "first branch" }],
          },
        );
      }
    }
    const loop = step.kind === "feedback" ? step.raw : asMap(asMap(step.raw.then)?.feedback_loop);
    const base = step.kind === "feedback" ? step.path : [...step.path, "then", "feedback_loop"];
    const producers = new Set(
      step.children.flatMap((child) => (child.agent === undefined ? [child.id] : [child.agent, child.id])),
    );
    for (const [i, target] of asList(loop?.feedback_targets).entries()) {
      if (typeof target !== "string" || producers.has(target)) continue;
      const path = [...base, "feedback_targets", i];
      this.#names.report(
        "E223",
        step.document.valueRange(path),
        `${pathText(path)} is "${target}", which produces no draft here.`,
        { suggestion: nearestName(target, producers), known: [...producers] },
      );
    }
  }

  /** E222: two branches at the same time that save under one name. */
  #checkSavedTwice(branches: readonly DraftStep[]): void {
    const owner = new Map<string, DraftStep>();
    for (const branch of branches)
      for (const [name, step] of savedNames(branch)) {
        const first = owner.get(name);
        if (first === undefined) owner.set(name, step);
        else
          this.#names.report(
            "E222",
            step.document.valueRange([...step.path, "save_as"]),
            `The branches "${first.id}" and "${step.id}" both save as "${name}".`,
            { related: [{ ...placeOf(first), message: "first saved here" }] },
          );
      }
  }

  #walkDag(step: DraftStep, visible: Visible): Leaves {
    const needs = checkDag(this.#names, step);
    const leaves = new Map<string, Leaves>();
    const left = (name: string): Leaves => leaves.get(name) ?? NOTHING;
    // Needs first; nodes of a cycle see only what is already known.
    const order = [...step.children].sort((a, b) => needs.get(a.node!.name)!.size - needs.get(b.node!.name)!.size);
    let all: Visible = NOTHING;
    for (const child of order) {
      let seen = visible;
      for (const need of needs.get(child.node!.name)!) seen = joinVisible(seen, left(need));
      const own = this.#walk(child, seen);
      leaves.set(child.node!.name, own);
      all = joinVisible(all, own);
    }
    for (const [i, a] of step.children.entries())
      for (const b of step.children.slice(i + 1))
        if (!needs.get(a.node!.name)!.has(b.node!.name) && !needs.get(b.node!.name)!.has(a.node!.name))
          this.#checkSavedTwice([a, b]);
    return all;
  }

  #checkContext(step: DraftStep, visible: Visible): void {
    const agent = step.agent === undefined ? undefined : this.#names.agents.get(step.agent);
    const places = [
      { document: step.document, path: [...step.path, "context"], raw: asMap(step.raw.context) },
      ...(agent === undefined
        ? []
        : [{ document: agent.document, path: [...agent.path, "context"], raw: asMap(agent.raw.context) }]),
    ];
    for (const { document, path, raw } of places) {
      checkModelReference(this.#names, document, [...path, "summary_model"], asString(raw?.summary_model));
      for (const [i, id] of asList(raw?.from).entries()) {
        if (typeof id !== "string" || this.#ids.has(id)) continue;
        this.#names.report(
          "E232",
          document.valueRange([...path, "from", i]),
          `${pathText([...path, "from", i])} names the step "${id}", which is not a step.`,
          { suggestion: nearestName(id, this.#ids), known: [...visible.steps] },
        );
      }
    }
  }
}

function idRange(step: DraftStep) {
  return step.raw.id === undefined ? step.document.keyRange(step.path) : step.document.valueRange([...step.path, "id"]);
}

function placeOf(step: DraftStep) {
  const { file, line, column } = step.document.valueRange([...step.path, "save_as"]);
  return { file, line, column };
}

function contains(step: DraftStep, id: string): boolean {
  for (const inner of allSteps(step)) if (inner.id === id) return true;
  return false;
}

/** Names saved inside a step that outlive it: those inside a foreach do not. */
function savedNames(step: DraftStep): ReadonlyMap<string, DraftStep> {
  const found = new Map<string, DraftStep>();
  const visit = (here: DraftStep): void => {
    const saved = asString(here.raw.save_as);
    if (saved !== undefined && !found.has(saved)) found.set(saved, here);
    if (here.kind === "foreach") return;
    for (const child of here.children) visit(child);
    if (here.closing !== undefined) visit(here.closing);
  };
  visit(step);
  return found;
}
