import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Rng } from "@praxis/env";
import { VirtualClock } from "@praxis/flow";
import { type Dashboard, runFlowFile, serveDashboard } from "@praxis/flow/node";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

const browserPath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => path !== undefined && existsSync(path),
);
const MARKUP = "<img src=x onerror=document.title='hacked'> & <b>bold</b>";
const examples = fileURLToPath(new URL("../examples/flows/", import.meta.url));

describe.skipIf(browserPath === undefined)("the flow dashboard (needs Chromium: set CHROMIUM or install it)", () => {
  let browser: Browser;
  let dashboard: Dashboard;
  let faults: string[] = [];
  const runs = mkdtempSync(join(tmpdir(), "flow-page-"));

  beforeAll(async () => {
    for (const name of ["research-brief", "release-checklist"])
      await runFlowFile(join(examples, `${name}.yml`), {
        now: () => 0,
        env: {},
        fetch: globalThis.fetch,
        input: MARKUP,
        rng: Rng.fromSeed(1),
        seed: "1",
        clock: (start) => new VirtualClock(start),
        folder: join(runs, name),
        recordContent: true,
      });
    dashboard = await serveDashboard({ runs, port: 0, pollMs: 20 });
    browser = await chromium.launch({
      executablePath: browserPath!,
      args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard?.close();
    rmSync(runs, { recursive: true, force: true });
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    faults = [];
  });

  async function openRun(name: string, width = 1440): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(`exception ${error}`));
    page.on("response", (response) => {
      if (response.status() >= 400 && !response.url().endsWith("favicon.ico")) faults.push(response.url());
    });
    await page.goto(dashboard.url);
    await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
    await page.locator("#log tr").first().waitFor();
    return page;
  }

  test("a run shows its steps with their states and tokens, its rounds and its log, without a console error", async () => {
    const page = await openRun("research-brief");
    const steps = await page.locator("#steps tr").allTextContents();
    expect(steps.filter((step) => step.startsWith("facts")).length).toBeGreaterThan(0);
    expect(steps.every((step) => step.includes("completed"))).toBe(true);
    expect(await page.locator("#rounds > div").count()).toBeGreaterThan(0);
    expect(await page.locator("#counters").textContent()).toMatch(/[1-9]\d*agents run/);
    await page.getByLabel("Show").fill("feedback.iteration");
    expect(await page.locator("#log tr").count()).toBe(await page.locator("#rounds > div").count());
    expect(faults).toEqual([]);
  });

  test("a question that waits is shown with the option that answers it", async () => {
    const page = await openRun("release-checklist");
    await page
      .locator("#questions")
      .getByText(/--answer h_[0-9a-f]+=VALUE/)
      .waitFor();
  });

  test("markup in inputs, prompts and replies is shown as text", async () => {
    const page = await openRun("research-brief");
    await page.getByLabel("Show").fill("run.started");
    expect(await page.locator("#log").textContent()).toContain("<img src=x onerror=");
    expect(await page.locator("#log img, #log b").count()).toBe(0);
    expect(await page.title()).toBe("Praxis flow");
  });

  test("events that come while the page is open are added, each once", async () => {
    const page = await openRun("research-brief");
    const path = join(runs, "research-brief", "events.ndjson");
    const last = JSON.parse(readFileSync(path, "utf8").trim().split("\n").at(-1)!) as { readonly seq: number };
    await page.getByLabel("Show").fill("late news");
    const late = { ...last, seq: last.seq + 1, type: "log", data: { message: "late news" } };
    appendFileSync(path, `${JSON.stringify(late)}\n`);
    await page.locator("#log").getByText("late news").waitFor();
    expect(await page.locator("#log tr").count()).toBe(1);
  });

  test("at the width of a telephone nothing but the table of steps scrolls sideways", async () => {
    const page = await openRun("research-brief", 390);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test("a run can be chosen by keyboard, with a visible focus", async () => {
    const page = await openRun("research-brief");
    await page.locator("nav button").first().focus();
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle);
    expect(outline).toBe("solid");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll("nav button[aria-current=true]").length === 1);
    expect(faults).toEqual([]);
  });
});
