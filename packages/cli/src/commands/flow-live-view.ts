import { describeEvent, type FlowEvent } from "@praxis/flow";
import type { Terminal } from "../terminal.ts";

/** Shows a run as it goes: lines of what happened, and on a terminal one line for each step that is running. */
export interface LiveView {
  onEvent(event: FlowEvent): void;
  end(): void;
}

/** Plain lines where there is no terminal; else the running steps stay below them. Nothing of a run is taken as control codes. */
export function makeLiveView(terminal: Terminal, write: (text: string) => void): LiveView {
  const running = new Map<
    string,
    { readonly label: string; readonly since: number; doing: string; received: number }
  >();
  let shown = 0;
  const clear = (): void => {
    if (shown > 0) write(`\u001b[${shown}A\u001b[J`);
    shown = 0;
  };
  const draw = (now: number): void => {
    const lines = [...running.values()].map((step) =>
      `  ⋯ ${step.label}  ${((now - step.since) / 1_000).toFixed(1)} s  ${step.doing}`.slice(0, 100),
    );
    for (const line of lines) write(`${line}\n`);
    shown = lines.length;
  };
  return {
    onEvent(event) {
      const { data, spanId } = event;
      if (event.type === "step.started" && (data.kind === "agent" || data.kind === "human"))
        running.set(spanId, { label: printable(String(data.stepId)), since: event.time, doing: "", received: 0 });
      if (event.type === "step.completed" || event.type === "step.failed") running.delete(spanId);
      const step = [...running].find(([path]) => spanId === path || spanId.startsWith(`${path}/`))?.[1];
      if (step !== undefined && event.type === "llm.requested") step.doing = `asks ${printable(String(data.model))}`;
      if (step !== undefined && event.type === "llm.delta") {
        step.received += Number(data.chars);
        step.doing = `receives (${step.received} characters)`;
      }
      if (step !== undefined && event.type === "tool.called") step.doing = `uses ${printable(String(data.name))}`;
      const line = describeEvent(event);
      if (!terminal.isInteractive) {
        if (line !== undefined) terminal.err(printable(line));
        return;
      }
      clear();
      if (line !== undefined) terminal.err(printable(line));
      draw(event.time);
    },
    end() {
      if (terminal.isInteractive) clear();
    },
  };
}

/** Text without control characters: a reply must not move the cursor or ring the bell. */
function printable(text: string): string {
  return text.replace(/(?!\n)\p{Cc}/gu, "�");
}
