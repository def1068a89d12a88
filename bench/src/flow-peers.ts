import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bootstrap } from "@praxis/eval";
import type { Measurement } from "./figures.ts";

const PEERS = join(dirname(fileURLToPath(import.meta.url)), "..", "peers");
const ROUNDS = 5;
const OURS = "praxis";

/** Peers that run the call of an agent of their own, and those whose step is a function that calls the model by hand. */
const AGENTS = ["langgraph (chat model)", "mastra (agent)"];
const STEPS = ["langgraph (node)", "mastra (step)"];

type Times = Readonly<Record<string, number>>;

/**
 * Our engine beside LangGraph.js and Mastra: the same three workflows with the same instant model, every system in a
 * process of its own, in turns. The peers are installed apart (`npm install` in bench/peers), as they bring several
 * hundred packages; without them one line says so.
 */
export function measureFlowPeers(
  report: (measurement: Measurement) => void,
  folder = PEERS,
  say: (line: string) => void = console.error,
): void {
  if (!existsSync(join(folder, "node_modules", "@mastra", "core"))) {
    say("flow.peers: not measured, as LangGraph.js and Mastra are not installed; npm install in bench/peers");
    return;
  }
  const rounds = Array.from({ length: ROUNDS }, () =>
    Object.fromEntries([OURS, ...AGENTS, ...STEPS].map((system) => [system, timesOf(system, folder)])),
  );
  for (const workflow of Object.keys(rounds[0]![OURS]!)) {
    const timesFor = (system: string): number[] => rounds.map((round) => round[system]![workflow]!);
    const compare = (id: string, systems: readonly string[], note: string): void => {
      const peers = systems
        .map((name) => ({ name, times: timesFor(name) }))
        .sort((a, b) => median(a.times) - median(b.times));
      const fastest = peers[0]!;
      const ours = timesFor(OURS);
      const { low, high } = bootstrap(ours.map((time, i) => time / fastest.times[i]!));
      report({
        id,
        value: median(ours) / median(fastest.times),
        unit: "times",
        goal: "<= 1",
        peer: peers.map(({ name, times }) => `${name} ${median(times).toFixed(3)} ms`).join("; "),
        n: ROUNDS,
        interval: [low, high],
        note: `ours ${median(ours).toFixed(3)} ms an agent step, divided by the faster peer's; ${note}`,
      });
    };
    compare(`flow.peers_${workflow}`, AGENTS, "peers' steps are agents that call the same instant model");
    compare(
      `flow.peers_${workflow}_by_hand`,
      STEPS,
      "peers' steps are functions that call the model by hand, without budget, log, retries or fences; ours is the same agent as before",
    );
  }
}

function timesOf(system: string, folder: string): Times {
  return JSON.parse(execFileSync(process.execPath, [join(folder, "flow.mjs"), system], { encoding: "utf8" })) as Times;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
