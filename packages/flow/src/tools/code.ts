import { newQuickJSWASMModule, type QuickJSContext } from "quickjs-emscripten";
import type { ToolReply } from "../engine/journal.ts";
import type { Tool } from "./tool.ts";

/** Settings of the code tool. */
export interface CodeSettings {
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly approval: Tool["approval"];
}

const MAX_OUTPUT = 20_000;

/**
 * Runs JavaScript in QuickJS compiled to WebAssembly: no file, network, clock or module is within its reach, memory and
 * time are limited. Each call has a fresh context.
 *
 * @param now monotonic time in ms, for the time limit
 */
export function makeCodeTool(settings: CodeSettings, now: () => number): Tool {
  return {
    name: "code",
    description:
      "Runs JavaScript (ES2023, no modules, files or network). 'input' holds the given data; the value of the last expression is the result, console.log adds lines.",
    inputSchema: {
      type: "object",
      properties: { code: { type: "string", minLength: 1, maxLength: 50_000 }, input: {} },
      required: ["code"],
      additionalProperties: false,
    },
    approval: settings.approval,
    idempotent: true,
    async execute(input) {
      const { code, input: data } = input as { readonly code: string; readonly input?: unknown };
      // A WebAssembly instance of its own for each call, dropped as a whole afterwards: code that ran out of memory leaves
      // a heap that can't be taken down in order, and no later call must find it. So nothing in here is disposed of.
      const runtime = (await newQuickJSWASMModule()).newRuntime();
      runtime.setMemoryLimit(settings.memoryMb * 1_048_576);
      runtime.setMaxStackSize(128 * 1_024);
      const deadline = now() + settings.timeoutMs;
      let timedOut = false;
      runtime.setInterruptHandler(() => {
        timedOut = now() > deadline;
        return timedOut;
      });
      let result: ToolReply;
      try {
        result = evaluate(runtime.newContext(), code, data);
      } catch (error) {
        // The machine below gave up before QuickJS did, at its own stack or memory.
        result = { ok: false, content: `The code could not be run to its end: ${(error as Error).message}` };
      }
      return timedOut
        ? { ok: false, content: `The code ran longer than ${settings.timeoutMs} ms and was stopped.` }
        : result;
    },
  };
}

function evaluate(
  context: QuickJSContext,
  code: string,
  data: unknown,
): { readonly ok: boolean; readonly content: string } {
  const lines: string[] = [];
  let size = 0;
  const log = context.newFunction("log", (...args) => {
    const line = args.map((arg) => describe(context.dump(arg))).join(" ");
    size += line.length;
    if (size <= MAX_OUTPUT) lines.push(line);
  });
  const console = context.newObject();
  context.setProp(console, "log", log);
  context.setProp(context.global, "console", console);
  // Data comes in as JSON text: no object of the host is ever visible inside.
  const set = context.evalCode(
    `globalThis.input = JSON.parse(${JSON.stringify(JSON.stringify(data ?? null))}); undefined`,
  );
  if (set.error !== undefined) return { ok: false, content: "The input could not be handed over." };
  const result = context.evalCode(code, "code.js");
  const fail = (error: unknown) => ({ ok: false, content: [...lines, describeError(error)].join("\n") });
  if (result.error !== undefined) return fail(context.dump(result.error));
  context.runtime.executePendingJobs(1_000);
  const state = context.getPromiseState(result.value);
  if (state.type === "rejected") return fail(context.dump(state.error));
  const value: unknown = state.type === "fulfilled" ? context.dump(state.value) : "(a promise that never settled)";
  return { ok: true, content: [...lines, describe(value)].join("\n").slice(0, MAX_OUTPUT) };
}

function describe(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "undefined";
  if (typeof value === "bigint") return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

function describeError(error: unknown): string {
  const { name, message } = (typeof error === "object" && error !== null ? error : {}) as {
    readonly name?: unknown;
    readonly message?: unknown;
  };
  return typeof message === "string"
    ? `${typeof name === "string" ? name : "Error"}: ${message}`
    : `Error: ${describe(error)}`;
}
