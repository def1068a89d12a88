import { checkEnv, type EnvDefinition } from "@praxis/env";
import { expect, test } from "vitest";
import { defineSpindleFlow } from "../src/definition.ts";
import { makeWordBank } from "./support/word-bank.ts";

const bank = makeWordBank({ tasksPerDesk: 20, specialists: 64 });

// Small shifts: the checks write every observation out as text, again and again.
test("every check of the environment contract passes", async () => {
  const definition = defineSpindleFlow(bank, { settings: { maxSpecialists: 2, tasksPerEpisode: 2, companySize: 8 } });
  const checks = await checkEnv(definition as unknown as EnvDefinition, { seed: 7, steps: 10 });
  expect(checks.filter((check) => !check.ok)).toEqual([]);
});
