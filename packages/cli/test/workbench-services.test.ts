import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EnvDefinition, type EnvService, Rng, recordEpisode } from "@praxis/env";
import { makeSyncEnv } from "@praxis/eval";
import { loadPolyGuard, makePolyguardPolicy } from "@praxis/polyguard";
import { loadSpindleFlow } from "@praxis/spindleflow";
import { afterAll, describe, expect, test } from "vitest";
import { flowServices } from "../src/workbench/flow-services.ts";
import { withPolicyServices } from "../src/workbench/policy-services.ts";

const definition = withPolicyServices(loadPolyGuard() as unknown as EnvDefinition);
const service = (services: readonly EnvService[] | undefined, path: string): EnvService =>
  services!.find((each) => each.path === path)!;
const post = async (path: string, body: object): Promise<Record<string, unknown>> =>
  (await service(definition.services, path).call(JSON.stringify(body))) as Record<string, unknown>;

interface Recorded {
  readonly actions: readonly Record<string, unknown>[];
}

/** The episode as the policy plays it by itself. */
async function played(name: string, seed: number): Promise<Recorded> {
  const env = makeSyncEnv(definition);
  const policy = makePolyguardPolicy(name, env);
  const trace = await recordEpisode(
    definition,
    env,
    policy,
    { seed, options: {} },
    { rng: Rng.fromSeed(seed, `policy/${name}`) },
  );
  env.close();
  return { actions: trace.steps.map((step) => step.action as Record<string, unknown>) };
}

describe("policies that a page asks", () => {
  test("asked step by step a policy does what it does when it plays by itself, also when asked about an earlier step later", async () => {
    const { actions } = await played("random_legal", 7);
    for (const step of [0, 1, 2, 1, 0]) {
      const reply = await post("/policies/act", { policy: "random_legal", seed: 7, actions: actions.slice(0, step) });
      expect(reply.action).toEqual(actions[step]);
    }
  });

  test("the team tells what its roles said", async () => {
    const { transcript } = await post("/policies/act", { policy: "planner_critic", seed: 7 });
    expect((transcript as { role: string }[]).map(({ role }) => role)).toContain("critic");
  });

  test("the list says which policies read what is hidden", async () => {
    const { policies, oracles } = (await service(definition.services, "/policies").call("")) as Record<
      string,
      string[]
    >;
    expect(oracles).toEqual(expect.arrayContaining(["oracle_lookahead", "closed_loop"]));
    expect(oracles).not.toContain("planner_critic");
    for (const name of oracles!) expect(policies).toContain(name);
  });

  test("a learned policy tells how likely it found each choice, and its action says so to the audit; a rule tells nothing", async () => {
    const spindle = withPolicyServices(loadSpindleFlow() as unknown as EnvDefinition);
    const ask = async (policy: string) =>
      (await service(spindle.services, "/policies/act").call(JSON.stringify({ policy, seed: 3 }))) as {
        action: { annotation?: { probability: number } };
        odds: Record<string, Record<string, number>> | null;
      };
    const learned = await ask("set");
    expect(Object.values(learned.odds!.meta!).reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 9);
    expect(learned.action.annotation!.probability).toBeLessThanOrEqual(Math.max(...Object.values(learned.odds!.meta!)));
    const rule = await ask("greedyMediate");
    expect([rule.odds, rule.action.annotation]).toEqual([null, undefined]);
  });

  test("an unknown policy, an action that does not fit and an episode that is over are named", async () => {
    await expect(post("/policies/act", { policy: "rule_bassed", seed: 7 })).rejects.toThrow(
      "Did you mean 'rule_based'?",
    );
    await expect(post("/policies/act", { policy: "rule_based", seed: 7, actions: [{ what: 1 }] })).rejects.toThrow(
      "actions.0",
    );
    await expect(post("/policies/act", { seed: 7 })).rejects.toThrow("Field 'policy'");
    const { actions } = await played("stop_all", 7);
    await expect(post("/policies/act", { policy: "rule_based", seed: 7, actions })).rejects.toThrow(
      "The episode is over",
    );
  });

  test("each candidate has its worth and what refuses it, and what is refused is what the environment's mask refuses", async () => {
    const { candidates } = await post("/candidates", { seed: 7, options: { expose_legality: true } });
    const list = candidates as { candidate_id: string; legal: boolean; refusals: string[]; gain: number }[];
    const env = makeSyncEnv(definition);
    const begun = env.reset({ seed: 7, options: { expose_legality: true } });
    env.close();
    expect(list.map(({ legal }) => legal)).toEqual(begun.info.actionMask);
    for (const { legal, refusals } of list) expect(refusals.length > 0).toBe(!legal);
    expect(list.some(({ gain }) => gain > 0)).toBe(true);
  });
});

describe("runs of agent teams", () => {
  const folder = mkdtempSync(join(tmpdir(), "praxis-runs-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const services = flowServices(folder);

  test("an empty or missing folder has no runs, and an unknown run is named", async () => {
    expect(await service(services, "/flow/runs").call("")).toEqual({ runs: [] });
    expect(await service(flowServices(join(folder, "none")), "/flow/runs").call("")).toEqual({ runs: [] });
    expect(() => service(services, "/flow/events").call('{"run":"../x"}')).toThrow("There is no run '../x' here");
  });
});

test("the model's expected level is told for each day with an interval that holds it, and is null where nothing is dosed by level", async () => {
  const dosed = { seed: 4, options: { sub_environment: "PRECISION_DOSING" } };
  const { days } = await post("/levels", dosed);
  const list = days as { day: number; median: number; low: number; high: number }[];
  expect(list.map(({ day }) => day)).toEqual(Array.from({ length: 14 }, (_, index) => index + 1));
  for (const { low, median, high } of list)
    expect([low <= median, median <= high, low >= 0]).toEqual([true, true, true]);
  expect(await post("/levels", { seed: 7 })).toEqual({ days: null });
});
