import { Rng } from "@praxis/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AuditChain, sha256 } from "../src/audit/chain.ts";
import { explainAudit, renderExplanation } from "../src/audit/explain.ts";
import { exportAudit, parseAuditLogs } from "../src/audit/log-text.ts";
import { auditEpisode, verifyAudit, verifyChain } from "../src/audit/verify.ts";
import { BankIndex } from "../src/bank/bank-index.ts";
import { randomAction } from "../src/definition.ts";
import { makeSpindleFlowEnv } from "../src/env.ts";
import { makeWordBank } from "./support/word-bank.ts";

const parts = { index: new BankIndex(makeWordBank({ tasksPerDesk: 60, specialists: 160 })), settings: {} };

function recorded(seed: number): AuditChain {
  const env = makeSpindleFlowEnv(parts);
  env.reset({ seed, options: { audit: true, tasksPerEpisode: 2 } });
  const rng = Rng.fromSeed(seed, "test");
  for (let ended = false; !ended; ) ended = env.step(randomAction(rng, env.latentState()!.masks)).terminated;
  return env.latentState()!.audit!;
}

const log = recorded(11);
const text = exportAudit(log);

/** True if reading and verifying finds nothing wrong. */
function passes(changed: string): boolean {
  try {
    const logs = parseAuditLogs(changed);
    return logs.length === 1 && verifyAudit(parts, logs[0]!).ok;
  } catch {
    return false;
  }
}

describe("audit", () => {
  test("an honest log comes back from its text, verifies and replays", () => {
    expect(parseAuditLogs(text)).toEqual([log]);
    expect(verifyAudit(parts, log)).toEqual({ ok: true });
    expect(parseAuditLogs(text + exportAudit(recorded(12)))).toHaveLength(2);
  });

  test("a tampered byte is always found, wherever it is and whatever it becomes", () => {
    const bytes = Buffer.from(text, "utf8");
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at] = changed[at]! ^ change;
        expect(passes(changed.toString("utf8"))).toBe(false);
      }),
      { numRuns: 400 },
    );
  });

  test("a digit below the precision of a double and a record left out are found too", () => {
    const at = text.search(/"elapsedMs":\d+\.\d{9}/);
    expect(at).toBeGreaterThan(0);
    const longer = text.replace(/("elapsedMs":\d+\.\d{9,})/, "$10");
    expect(passes(longer)).toBe(false);
    expect(verifyChain(log.records.slice(0, -1), log.head).ok).toBe(false);
    expect(verifyChain([log.records[0]!, ...log.records.slice(2)], log.head).ok).toBe(false);
  });

  test("a forger who hashes anew is found by the replay", () => {
    let prevHash = "";
    const forged = text
      .trimEnd()
      .split("\n")
      .slice(0, -1)
      .map((line) => {
        const { hash: _, ...content } = JSON.parse(line) as Record<string, unknown>;
        if (content.kind === "step" && content.step === 1) content.measuredQuality = 0.99;
        content.prevHash = prevHash;
        const canonical = JSON.stringify(
          Object.fromEntries(Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1))),
        );
        prevHash = sha256(content.prevHash + canonical);
        return { ...content, hash: prevHash };
      });
    const verdict = verifyAudit(parts, { records: forged as never, head: prevHash });
    expect(verdict).toMatchObject({ ok: false, record: 1, message: expect.stringContaining("Played again") });
  });

  test("a log of other settings is named as such", () => {
    const other = { ...parts, settings: { reward: { violation: 0.5 } } };
    expect(verifyAudit(other, log)).toMatchObject({ ok: false, record: 0 });
  });

  test("an episode recorded without a log gets the log that it would have written", () => {
    const actions = log.records.flatMap((record) => (record.kind === "step" ? [record.action.given as never] : []));
    const options = { tasksPerEpisode: 2 };
    expect(auditEpisode(parts, { seed: 11, episodeId: "SpindleFlow-v0-11", options, actions }).head).toBe(log.head);
  });

  test("an explanation names for each call the specialist, its phrases and its worth, and for each stop the best call left", () => {
    const explained = explainAudit(parts, log);
    const steps = explained.tasks.flatMap((task) => task.steps);
    expect(steps).toHaveLength(log.records.length - 1);
    for (const step of steps) {
      if (step.decision?.meta === "callSpecialist") {
        expect(step.called.map(({ slot }) => slot)).toEqual(step.decision.slots);
        expect(step.modes).toHaveLength(7);
        for (const { id, phrases } of step.called) {
          expect(step.sentence).toContain(id);
          expect(phrases.length).toBeLessThanOrEqual(3);
        }
      }
      if (step.decision?.meta === "stop") expect(step.sentence).toMatch(/^It stopped/);
    }
    expect(renderExplanation(explained)).toContain("## Task 2");
    expect(explainAudit(parts, log)).toEqual(explained);
  });

  test("earlier results of the shift are told where somebody is called again in a later task", () => {
    const env = makeSpindleFlowEnv(parts);
    env.reset({ seed: 4, options: { audit: true, tasksPerEpisode: 2 } });
    for (let task = 0; task < 2; task++) {
      env.step({ meta: "callSpecialist", slots: [1] });
      env.step({ meta: "stop" });
    }
    const [first, second] = explainAudit(parts, env.latentState()!.audit!).tasks;
    expect(first!.steps[0]!.called[0]!.earlier).toEqual([]);
    expect(second!.steps[0]!.called[0]!.earlier).toMatchObject([{ task: 0 }]);
  });
});
