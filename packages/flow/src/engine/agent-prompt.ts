import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { estimateTokens } from "../config/defaults.ts";
import type { CallMeta } from "../providers/model.ts";
import { type Tool, wireName } from "../tools/tool.ts";
import type { AgentJob } from "./agent-job.ts";
import { cutMiddle, type Selection, selectContext } from "./context.ts";
import { ASKS, type PromptParts, type Quoted, systemPrompt, textToolRule, userPrompt } from "./prompts.ts";
import type { RunContext } from "./run-context.ts";
import type { StepRecord } from "./store.ts";
import { summarize } from "./summary.ts";

/** What the prompt is made from beside the job. */
export interface PromptInput {
  readonly tools: readonly Tool[];
  readonly memory: readonly Quoted[];
  readonly contributions: readonly Quoted[] | undefined;
  readonly outputRule: string | undefined;
  readonly kind: CallMeta["kind"];
}

interface Item {
  readonly quoted: Quoted;
  readonly relevance: () => number;
  text: string;
}

/**
 * System and user message of an agent. What does not fit the window is cut in this order: earlier work, the least relevant
 * first, then contributions and notes, then the task itself in its middle; every cut is told as a warning.
 */
export async function buildPrompt(job: AgentJob, input: PromptInput): Promise<LanguageModelV3Prompt> {
  const { run, agent, plan, path } = job;
  const model = plan.models.get(job.overrides.model ?? agent.model)!;
  const toolRule =
    input.tools.length > 0 && !model.nativeTools
      ? textToolRule(input.tools.map((tool) => ({ ...tool, name: wireName(tool.name) })))
      : undefined;
  const system = systemPrompt(agent, { tag: run.fenceTag, outputRule: input.outputRule, toolRule });
  const answerTokens = Math.min(
    job.overrides.maxTokens ?? agent.maxTokens ?? model.maxTokens,
    Math.floor(model.contextWindow / 2),
  );
  const context = job.overrides.context ?? agent.context;
  const contextTokens = context.maxTokens ?? Math.floor(model.contextWindow / 4);
  const earlier = await earlierWork(job, contextTokens);
  const ask = input.kind === "synthesize" ? ASKS.synthesize : job.ask;
  const own = job.parts;
  const parts: PromptParts = {
    task: own?.task ?? job.task,
    parentGoal: own?.parentGoal,
    notMine: own?.notMine,
    memory: input.memory,
    earlier: earlier.map(shownItem),
    contributions: input.contributions,
    ownDraft: own?.ownDraft,
    feedback: own?.feedback,
    ask,
  };
  // Room for the messages' own tokens, tool descriptions and the estimate's error.
  const room = Math.max(
    64,
    model.contextWindow -
      answerTokens -
      estimateTokens(system) -
      (input.tools.length === 0 ? 0 : estimateTokens(JSON.stringify(input.tools.map((tool) => tool.inputSchema)))) -
      64,
  );
  const fitted = fit(parts, earlier, room, run);
  if (fitted.cut.length > 0)
    run.warn(path, `The prompt of '${agent.id}' did not fit its window; cut: ${fitted.cut.join(", ")}.`, {
      cut: fitted.cut,
      window: model.contextWindow,
    });
  for (const quoted of [fitted.parts.earlier, fitted.parts.memory, fitted.parts.contributions])
    if (quoted !== undefined) flag(job, quoted);
  return [
    { role: "system", content: system },
    { role: "user", content: [{ type: "text", text: fitted.text }] },
  ];
}

/** Chooses earlier records and summarises what has to be shorter. */
async function earlierWork(job: AgentJob, maxTokens: number): Promise<Item[]> {
  const { run, agent, path } = job;
  const context = job.overrides.context ?? agent.context;
  // What is handed in as a part of the job is shown in any case, and once.
  const excluded = new Set((job.parts?.earlier ?? []).map((quoted) => quoted.step.replace(/ failed$/, "")));
  if (job.parts?.ownDraft !== undefined) excluded.add(job.stepId);
  if (context.from === "none" && excluded.size === 0) return [];
  const records = context.from === "none" ? [] : job.store.all().filter((record) => !excluded.has(record.stepId));
  const { embedder } = run.env;
  const selection: Selection = selectContext(records, {
    plan: context,
    query: `${agent.goal}\n${job.task}`,
    maxTokens,
    embed: embedder?.embedSync?.bind(embedder),
    features: run.shown.features,
  });
  const summaries =
    selection.toSummarize.length === 0
      ? []
      : await Promise.all(selection.toSummarize.map((record) => summarize(job, record)));
  const short = new Map(selection.toSummarize.map((record, i) => [record, summaries[i]!]));
  const items: Item[] = [];
  for (const quoted of job.parts?.earlier ?? []) items.push({ quoted, relevance: () => 2, text: quoted.text });
  for (const entry of selection.kept) {
    const quoted = quotedRecord(run, entry.record);
    items.push({
      quoted,
      relevance: entry.relevance,
      text: short.get(entry.record) ?? quoted.text,
    });
  }
  if (selection.kept.length > 0 || selection.dropped > 0)
    run.emit("context.selected", path, () => ({
      kept: selection.kept.map((entry) => entry.record.stepId),
      dropped: selection.dropped,
      tokens: selection.tokens,
    }));
  if (short.size > 0)
    run.emit("context.summarized", path, {
      steps: selection.toSummarize.map((record) => record.stepId),
      tokens: summaries.reduce((sum, text) => sum + estimateTokens(text), 0),
    });
  return context.mode === "full" ? items : fitItems(items, maxTokens);
}

/** A record as agents are shown it; the same object for all of them. */
function quotedRecord(run: RunContext, record: StepRecord): Quoted {
  let quoted = run.shown.quoted.get(record);
  if (quoted === undefined) {
    const author = record.agentId ?? record.stepId;
    quoted =
      record.status === "failed"
        ? {
            author,
            step: `${record.stepId} failed`,
            text: `This step failed: ${record.error?.message ?? "unknown error"}`,
          }
        : { author, step: record.stepId, text: record.text };
    run.shown.quoted.set(record, quoted);
  }
  return quoted;
}

/** assumption: what a cut item keeps at least, enough for its gist. */
const LEAST_TOKENS = 96;

/** Cuts the least relevant items in their middle, then drops them, until all fit. */
function fitItems(items: Item[], maxTokens: number): Item[] {
  const kept = [...items];
  const total = (): number => kept.reduce((sum, item) => sum + estimateTokens(item.text), 0);
  if (total() <= maxTokens) return kept;
  for (const item of [...kept].sort((a, b) => a.relevance() - b.relevance())) {
    const over = total() - maxTokens;
    if (over <= 0) return kept;
    item.text = cutMiddle(item.text, Math.max(LEAST_TOKENS, estimateTokens(item.text) - over));
  }
  for (const item of [...kept].sort((a, b) => a.relevance() - b.relevance())) {
    if (total() <= maxTokens || kept.length === 1) break;
    kept.splice(kept.indexOf(item), 1);
  }
  if (kept.length === 1) kept[0]!.text = cutMiddle(kept[0]!.text, maxTokens);
  return kept;
}

/** An item as it stands in the prompt: itself, or what was cut from it. */
function shownItem({ quoted, text }: Item): Quoted {
  return text === quoted.text ? quoted : { author: quoted.author, step: quoted.step, text };
}

/** The prompt as it stands where it fits, else with what was cut. */
function fit(
  parts: PromptParts,
  earlier: Item[],
  room: number,
  run: RunContext,
): { readonly parts: PromptParts; readonly text: string; readonly cut: readonly string[] } {
  const whole = userPrompt(run.fenceTag, parts, run.shown.fences);
  if (estimateTokens(whole) <= room) return { parts, text: whole, cut: [] };
  const cut: string[] = [];
  let items = earlier;
  let current: PromptParts = parts;
  const withItems = (): PromptParts => ({
    ...current,
    earlier: items.map(shownItem),
  });
  const over = (): number => estimateTokens(userPrompt(run.fenceTag, withItems())) - room;
  const inItems = (list: Item[]): number => list.reduce((sum, item) => sum + estimateTokens(item.text), 0);
  for (let pass = 0; over() > 0 && items.length > 0 && pass < 8; pass++) {
    // Escapes inside fences make the written text longer than the plain one: cut in passes.
    items = fitItems(
      items.map((item) => ({ ...item })),
      Math.max(0, inItems(items) - over()),
    );
    if (!cut.includes("earlier work")) cut.push("earlier work");
    if (inItems(items) <= LEAST_TOKENS && over() > 0) items = [];
  }
  for (const key of ["contributions", "memory"] as const) {
    const list = current[key];
    if (list === undefined || list.length === 0 || over() <= 0) continue;
    const share = Math.max(
      LEAST_TOKENS,
      Math.floor((list.reduce((sum, item) => sum + estimateTokens(item.text), 0) - over()) / list.length / 1.2),
    );
    current = { ...current, [key]: list.map((item) => ({ ...item, text: cutMiddle(item.text, share) })) };
    cut.push(key);
  }
  for (const key of ["ownDraft", "feedback"] as const) {
    const item = current[key];
    if (item === undefined || over() <= 0) continue;
    current = {
      ...current,
      [key]: {
        ...item,
        text: cutMiddle(item.text, Math.max(LEAST_TOKENS, Math.floor((estimateTokens(item.text) - over()) / 1.2))),
      },
    };
    cut.push(key);
  }
  if (over() > 0) {
    current = {
      ...current,
      task: cutMiddle(current.task, Math.max(LEAST_TOKENS, estimateTokens(current.task) - over())),
    };
    cut.push("task");
  }
  const fitted = withItems();
  return { parts: fitted, text: userPrompt(run.fenceTag, fitted), cut };
}

/** Tells of quoted texts that try to instruct their reader; they stay in their fence. */
function flag(job: AgentJob, quoted: readonly Quoted[]): void {
  for (const item of quoted) {
    const flags = job.run.injectionFlags(item.text);
    if (flags.length > 0)
      job.run.warn(job.path, `Quoted text of '${item.author}' looks like instructions; it stays quoted.`, {
        author: item.author,
        flags,
      });
  }
}
