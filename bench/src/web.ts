import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type EnvDefinition, EnvRegistry, type MakeEnvOptions, PraxisError, SimulatorEnv } from "@praxis/env";
import { loadPolyGuard } from "@praxis/polyguard";
import { createServer } from "@praxis/server";
import { pageFolder } from "@praxis/workbench";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { z } from "zod";
import type { Measurement } from "./figures.ts";

const VIEWS = 20;
const TRACE_STEPS = 10_000;
const SCROLLS = 5;
const SCROLL_MS = 2_000;
/** Pixels a frame: some 90 rows a second, as fast as a finger does it. */
const SCROLL_STEP = 80;
const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

/** Counts for as long as somebody steps: a trace of any length. */
const endless: EnvDefinition = {
  id: "Endless-v0",
  name: "endless",
  description: "Counts on.",
  version: "0.1.0",
  isDeterministic: true,
  schemas: {
    action: z.strictObject({ add: z.int().min(0).max(3) }),
    observation: z.strictObject({ total: z.number() }),
    state: z.looseObject({ episodeId: z.string().nullable(), stepCount: z.int() }),
    reset: z.object({}),
  },
  rewardRange: [0, 3],
  sampleAction: () => ({ add: 1 }),
  makeEnv: ({ seed }: MakeEnvOptions = {}) =>
    new SimulatorEnv<{ readonly total: number }, { readonly add: number }, { readonly total: number }>(
      "Endless-v0",
      {
        begin: () => ({ state: { total: 0 }, observation: { total: 0 } }),
        transition(state, { add }) {
          const next = { total: state.total + add };
          return { state: next, observation: next, reward: add, terminated: false, truncated: false, info: {} };
        },
      },
      seed,
    ),
} as unknown as EnvDefinition;

/** The page: script, first view, scrolling of a long trace, accessibility. Needs Chromium. */
export async function measureWeb(report: (measurement: Measurement) => void): Promise<void> {
  const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
    (path) => path !== undefined && existsSync(path),
  );
  if (executablePath === undefined)
    throw new PraxisError("NOT_SUPPORTED", "This benchmark needs Chromium: install it, or set CHROMIUM to its path.");
  reportScript(report);
  const registry = new EnvRegistry([endless, loadPolyGuard() as unknown as EnvDefinition]);
  const server = createServer({ registry, port: 0, page: pageFolder });
  const { url } = await server.listen();
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  try {
    await reportFirstView(browser, url, report);
    await reportTrace(browser, url, report);
    await reportAccessibility(browser, url, report);
  } finally {
    await browser.close();
    await server.close();
  }
}

function reportScript(report: (measurement: Measurement) => void): void {
  const assets = join(pageFolder, "assets");
  const scripts = readdirSync(assets).filter((name) => name.endsWith(".js"));
  const bytes = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name))).byteLength, 0);
  report({
    id: "web.script",
    value: Math.round(bytes / 100) / 10,
    unit: "kB",
    goal: "< 250",
    peer: null,
    n: scripts.length,
    interval: null,
    note: "all scripts of the page, gzip",
  });
}

async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  return context.newPage();
}

async function reportFirstView(
  browser: Browser,
  url: string,
  report: (measurement: Measurement) => void,
): Promise<void> {
  const times: number[] = [];
  for (let view = 0; view < VIEWS; view++) {
    // A context of its own has an empty cache.
    const page = await newPage(browser);
    const begun = performance.now();
    await page.goto(`${url}/web/`);
    await page.locator(".card .badge").nth(1).waitFor();
    times.push(performance.now() - begun);
    await page.context().close();
  }
  times.sort((a, b) => a - b);
  report({
    id: "web.first_view",
    value: Math.round(times[Math.floor(VIEWS / 2)]!),
    unit: "ms",
    goal: "< 1000",
    peer: null,
    n: VIEWS,
    interval: [Math.round(times[0]!), Math.round(times.at(-1)!)],
    note: "median from the request to home with health and policies of every environment, empty cache, local server; the interval is the whole range",
  });
}

async function reportTrace(browser: Browser, url: string, report: (measurement: Measurement) => void): Promise<void> {
  const page = await newPage(browser);
  await page.goto(`${url}/web/#/play/endless`);
  await page.getByRole("button", { name: "Reset" }).click();
  await page.getByText("Your turn").waitFor();
  await page.getByLabel("Speed").selectOption({ label: "At full speed" });
  await page.getByRole("button", { name: /^Run/ }).click();
  await page.waitForFunction(
    (steps) => Number(document.querySelector("[aria-setsize]")?.getAttribute("aria-setsize") ?? 0) > steps,
    TRACE_STEPS,
    { timeout: 240_000 },
  );
  await page.getByRole("button", { name: /^Pause/ }).click();
  await page.getByText("Your turn").waitFor();
  const rates: number[] = [];
  for (let round = 0; round < SCROLLS; round++)
    rates.push(
      await page.evaluate(
        ({ ms, step }) =>
          new Promise<number>((resolve) => {
            const list = document.querySelector(".virtual")!;
            list.scrollTop = 0;
            let frames = 0;
            let begun = 0;
            const frame = (now: number): void => {
              if (begun === 0) begun = now;
              else frames++;
              list.scrollTop += step;
              if (now - begun < ms) requestAnimationFrame(frame);
              else resolve((1000 * frames) / (now - begun));
            };
            requestAnimationFrame(frame);
          }),
        { ms: SCROLL_MS, step: SCROLL_STEP },
      ),
    );
  rates.sort((a, b) => a - b);
  await page.context().close();
  report({
    id: "web.trace",
    value: Math.round(10 * rates[Math.floor(SCROLLS / 2)]!) / 10,
    unit: "frames/s",
    goal: ">= 50",
    peer: null,
    n: SCROLLS,
    interval: [Math.round(10 * rates[0]!) / 10, Math.round(10 * rates.at(-1)!) / 10],
    note: `a trace of ${TRACE_STEPS.toLocaleString("en")} steps played in the page, scrolled by ${SCROLL_STEP} pixels a frame; the interval is the range over ${SCROLLS} times ${SCROLL_MS / 1000} s`,
  });
}

interface AxeResult {
  readonly passes: readonly unknown[];
  readonly violations: readonly { readonly impact: string }[];
}

async function reportAccessibility(
  browser: Browser,
  url: string,
  report: (measurement: Measurement) => void,
): Promise<void> {
  let passed = 0;
  let broken = 0;
  let serious = 0;
  const hashes = ["#/", "#/play/", "#/play/polyguard", "#/review", "#/flow"];
  for (const hash of hashes)
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await newPage(browser);
      await page.emulateMedia({ colorScheme });
      await page.goto(`${url}/web/${hash}`);
      await page.locator("h1").waitFor();
      if (hash === "#/play/polyguard") {
        await page.getByRole("button", { name: "Dangerous pair" }).click();
        await page.getByText("Your turn").waitFor();
      }
      const result = await page.evaluate(async (text) => {
        new Function(text)();
        const { passes, violations } = await (
          globalThis as unknown as { axe: { run(): Promise<AxeResult> } }
        ).axe.run();
        return { passes: passes.length, impacts: violations.map(({ impact }) => impact) };
      }, axe.source);
      passed += result.passes;
      broken += result.impacts.length;
      serious += result.impacts.filter((impact) => impact === "serious" || impact === "critical").length;
      await page.context().close();
    }
  report({
    id: "web.lighthouse",
    value: Math.round((1000 * passed) / (passed + broken)) / 10,
    unit: "% of rules",
    goal: ">= 95",
    peer: null,
    n: 2 * hashes.length,
    interval: null,
    note: `axe-core, rules kept of those that apply, on ${hashes.length} pages in light and dark; serious or critical findings: ${serious}`,
  });
}
