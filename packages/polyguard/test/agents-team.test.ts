import { describe, expect, test } from "vitest";
import { TEAM_MODES } from "../src/agents/options.ts";
import { SUB_ENVIRONMENTS } from "../src/scenario/types.ts";
import { playTeam } from "./agents-fixtures.ts";

/** Mining takes hundreds of probes; its first steps say enough. */
const MOST = 12;

describe("planner_critic", () => {
  for (const subEnvironment of SUB_ENVIRONMENTS)
    test(`plays ${subEnvironment} without an illegal action, and says why`, async () => {
      const { said, illegal } = await playTeam(subEnvironment, 3, {
        most: subEnvironment === "BANDIT_MINING" ? 2 : MOST,
      });
      expect(illegal).toBe(0);
      expect(said.some((line) => line.startsWith("supervisor:"))).toBe(true);
      expect(said.some((line) => line.startsWith("explainer:"))).toBe(true);
    });

  for (const mode of TEAM_MODES)
    test(`in mode ${mode} the roles speak in their order and the play repeats`, async () => {
      const play = await playTeam("DDI", 5, { options: { mode }, most: 6 });
      expect(await playTeam("DDI", 5, { options: { mode }, most: 6 })).toEqual(play);
      const roles = play.said.map((line) => line.slice(0, line.indexOf(":")));
      expect(roles.slice(0, 6)).toEqual(["med_rec", "evidence", "graph_safety", "dosing", "candidate", "supervisor"]);
      expect(play.illegal).toBe(0);
    });
});

describe("ablations", () => {
  test("a part that is left out says nothing", async () => {
    const { said } = await playTeam("DDI", 5, {
      options: { without: ["graph", "evidence", "critic", "supervisor", "dosing"] },
      most: 4,
    });
    const roles = new Set(said.map((line) => line.slice(0, line.indexOf(":"))));
    expect([...roles].sort()).toEqual(["candidate", "explainer", "med_rec", "planner"]);
  });

  test("without evidence nothing is looked up or ordered for its own sake", async () => {
    const withIt = await playTeam("WEB_SEARCH_MISSING_DATA", 3, { most: 5 });
    const without = await playTeam("WEB_SEARCH_MISSING_DATA", 3, { options: { without: ["evidence"] }, most: 5 });
    const fetches = ({ actions }: typeof withIt): number =>
      actions.filter((action) => "action_type" in action && action.action_type === "FETCH_EXTERNAL_EVIDENCE").length;
    expect(fetches(withIt)).toBeGreaterThan(0);
    expect(fetches(without)).toBe(0);
  });

  test("bandit only ranks by the trained weights and still hears the critic", async () => {
    const { said, illegal } = await playTeam("DDI", 5, { options: { planning: "bandit" }, most: 5 });
    expect(said.some((line) => line.includes("highest expected gain by experience"))).toBe(true);
    expect(said.some((line) => line.startsWith("critic:"))).toBe(true);
    expect(illegal).toBe(0);
  });
});

test("a query that a rule has written itself reaches the action", async () => {
  const { actions } = await playTeam("WEB_SEARCH_MISSING_DATA", 3, { most: 8 });
  const queries = actions.flatMap((action) => ("query" in action && action.query !== undefined ? [action.query] : []));
  expect(queries.length).toBeGreaterThan(0);
  expect(new Set(queries).size).toBe(queries.length);
});
