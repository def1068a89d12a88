import { createHash } from "node:crypto";
import type { FlowPlan } from "../../src/config/plan.ts";
import { VirtualClock } from "../../src/engine/clock.ts";
import type { FlowEvent } from "../../src/engine/events.ts";
import type { LogEntry } from "../../src/engine/journal.ts";
import { type FlowResult, type FlowRun, type RunOptions, runFlow } from "../../src/engine/run.ts";
import type { FlowRng } from "../../src/engine/run-context.ts";
import type { ModelFactory } from "../../src/providers/model.ts";
import { makeScriptedModel, type ScriptedCall, type ScriptedModel } from "../../src/providers/scripted.ts";
import { makeSimulatedModel } from "../../src/providers/simulated.ts";
import { planOf } from "./files.ts";

/** Seeded streams for tests; each draw is a hash of seed, name and number. */
export function testRng(seed: string): FlowRng {
  let draws = 0;
  return {
    split: (name) => testRng(`${seed}/${name}`),
    uniform: () => createHash("sha256").update(`${seed} ${draws++}`).digest().readUInt32BE(0) / 2 ** 32,
  };
}

/** The simulated model for every plan but those of `scripts`. */
export function modelsWith(scripts: Readonly<Record<string, ScriptedModel>> = {}): ModelFactory {
  return async (plan, context) => scripts[plan.id] ?? makeSimulatedModel(plan, context);
}

/** What a run left behind. */
export interface Ran {
  readonly result: FlowResult;
  readonly events: readonly FlowEvent[];
  readonly entries: readonly LogEntry[];
}

/** Options of a test run; the rest has defaults. */
export type TestOptions = Partial<RunOptions> & {
  readonly seed?: string;
  readonly entries?: readonly LogEntry[];
  readonly onStart?: (run: FlowRun) => void;
};

/** Runs a plan on virtual time. */
export async function runPlan(plan: FlowPlan, options: TestOptions = {}): Promise<Ran> {
  const events: FlowEvent[] = [];
  const entries: LogEntry[] = [...(options.entries ?? [])];
  const { seed, entries: earlier, onStart, ...rest } = options;
  const run = runFlow({
    plan,
    input: "Compare row and column storage",
    models: modelsWith(),
    rng: testRng(seed ?? "1"),
    clock: new VirtualClock(),
    ...rest,
    log: {
      entries: earlier ?? [],
      sink: { append: (entry) => void entries.push(JSON.parse(JSON.stringify(entry)) as LogEntry) },
    },
    onEvent: (event) => {
      events.push(event);
      rest.onEvent?.(event);
    },
  });
  onStart?.(run);
  return { result: await run.result, events, entries };
}

/** Checks and runs a text. */
export async function runText(
  text: string,
  options: TestOptions & {
    readonly others?: Readonly<Record<string, string>>;
    readonly hostTools?: readonly string[];
  } = {},
): Promise<Ran> {
  const { others, hostTools, ...rest } = options;
  return runPlan(
    await planOf(text, {
      ...(others === undefined ? {} : { others }),
      ...(hostTools === undefined ? {} : { hostTools }),
    }),
    rest,
  );
}

/** A team whose one model plays a script. */
export async function runScript(
  text: string,
  script: readonly ScriptedCall[],
  options: TestOptions & {
    readonly others?: Readonly<Record<string, string>>;
    readonly hostTools?: readonly string[];
  } = {},
): Promise<Ran & { readonly model: ScriptedModel }> {
  const clock = options.clock ?? new VirtualClock();
  const model = makeScriptedModel(script, { clock });
  return { ...(await runText(text, { clock, models: modelsWith({ sim: model }), ...options })), model };
}

/** Types of events, in order. */
export function types(ran: Ran): string[] {
  return ran.events.map((event) => event.type);
}

/** Events of one type. */
export function eventsOf(ran: Ran, type: string): readonly FlowEvent[] {
  return ran.events.filter((event) => event.type === type);
}
