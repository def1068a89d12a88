import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { canonicalJson, Rng } from "@praxis/env";
import { expect, test } from "vitest";
import { sha256 } from "../src/audit/chain.ts";
import { BankIndex } from "../src/bank/bank-index.ts";
import type { SpindleFlowSettings } from "../src/config.ts";
import { randomAction } from "../src/definition.ts";
import { makeSpindleFlowEnv } from "../src/env.ts";
import { makeWordBank } from "./support/word-bank.ts";

const isUpdate = process.env.UPDATE_GOLDEN === "1";
const path = fileURLToPath(new URL("golden/spindleflow-random.jsonl", import.meta.url));
const index = new BankIndex(makeWordBank({ tasksPerDesk: 60, specialists: 160 }));

/** What differs from episode to episode: slots, presets, phases, spawning, automatic recovery. */
const EPISODES: readonly { seed: number; settings: SpindleFlowSettings; options: Record<string, unknown> }[] = [
  { seed: 1, settings: {}, options: { audit: true } },
  { seed: 2, settings: {}, options: { audit: true, preset: "frugal" } },
  { seed: 3, settings: {}, options: { audit: true, preset: "seed" } },
  { seed: 4, settings: { maxSpecialists: 8, autoFallback: true }, options: { audit: true, phase: 2 } },
  { seed: 5, settings: { spawn: { enabled: true, threshold: 0.99 } }, options: { audit: true } },
  { seed: 6, settings: { maxSpecialists: 3, reward: { shaping: "potential" } }, options: { tasksPerEpisode: 8 } },
];

function play({ seed, settings, options }: (typeof EPISODES)[number]): string {
  const env = makeSpindleFlowEnv({ index, settings });
  const rng = Rng.fromSeed(seed, "golden");
  const lines: string[] = [];
  let steps = 0;
  const note = ({ observation, ...rest }: { readonly observation: { readonly vector?: Float32Array } }): void => {
    const { vector, ...seen } = observation;
    lines.push(sha256(new Uint8Array(vector!.buffer, vector!.byteOffset, vector!.byteLength)));
    lines.push(canonicalJson({ seen, ...rest }));
  };
  note(env.reset({ seed, options }));
  for (let ended = false; !ended; steps++) {
    const result = env.step(randomAction(rng, env.latentState()!.masks));
    note(result);
    ended = result.terminated;
  }
  const auditHead = env.latentState()!.audit?.head ?? null;
  return `${JSON.stringify({ seed, steps, auditHead, everything: sha256(lines.join("\n")) })}\n`;
}

test("random play over presets, sizes, phases, spawning and recovery comes out byte for byte as recorded", () => {
  const played = EPISODES.map(play).join("");
  if (isUpdate) writeFileSync(path, played);
  expect(existsSync(path), "record it with UPDATE_GOLDEN=1").toBe(true);
  expect(played).toBe(readFileSync(path, "utf8"));
});
