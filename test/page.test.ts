import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type EnvDefinition, EnvRegistry, type Info, type ResetRequest, Rng, type SyncEnv } from "@praxis/env";
import { counterEnv } from "@praxis/env/testing";
import { VirtualClock } from "@praxis/flow";
import { runFlowFile } from "@praxis/flow/node";
import { loadPolyGuard } from "@praxis/polyguard";
import { createServer, type PraxisServer, type ServerOptions } from "@praxis/server";
import { loadSpindleFlow } from "@praxis/spindleflow";
import { pageFolder } from "@praxis/workbench";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { flowServices } from "../packages/cli/src/workbench/flow-services.ts";
import { withPolicyServices } from "../packages/cli/src/workbench/policy-services.ts";
import { gardenEnv, MARKUP } from "./garden-env.ts";

const browserPath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => path !== undefined && existsSync(path),
);
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const patients = fileURLToPath(new URL("../examples/patients/", import.meta.url));
const flows = fileURLToPath(new URL("../examples/flows/", import.meta.url));

describe.skipIf(browserPath === undefined)("the workbench (needs Chromium: set CHROMIUM or install it)", () => {
  const runs = mkdtempSync(join(tmpdir(), "workbench-runs-"));
  const definitions = [
    gardenEnv as unknown as EnvDefinition,
    counterEnv as unknown as EnvDefinition,
    loadPolyGuard() as unknown as EnvDefinition,
    loadSpindleFlow() as unknown as EnvDefinition,
  ].map(withPolicyServices);
  let browser: Browser;
  let server: PraxisServer;
  let url: string;
  /** Console errors, failed requests and exceptions of the pages of a test. */
  let faults: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath!, args: ARGUMENTS });
    await start(0);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    rmSync(runs, { recursive: true, force: true });
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    faults = [];
  });

  const make = (port: number, options: Partial<ServerOptions> = {}): PraxisServer =>
    createServer({
      registry: new EnvRegistry(definitions),
      port,
      seed: 0,
      resumeGraceMs: 500,
      page: pageFolder,
      services: [...flowServices(runs)],
      ...options,
    });

  async function start(port: number, options: Partial<ServerOptions> = {}): Promise<void> {
    server = make(port, options);
    ({ url } = await server.listen());
  }

  async function openPage(hash = "#/", width = 1440, at = url): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(`exception ${error}`));
    page.on("requestfailed", (request) => faults.push(request.url()));
    page.on("response", (response) => {
      if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(`${at}/web/${hash}`);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    return page;
  }

  const ready = (page: Page): Promise<void> => page.locator(".status-text", { hasText: /Your turn|Ended/ }).waitFor();
  async function begin(page: Page, seed = "7"): Promise<void> {
    await page.getByLabel("Seed", { exact: true }).fill(seed);
    await page.getByRole("button", { name: "Reset" }).click();
    await ready(page);
  }
  /** Chooses an offer and takes it, until the step is in the list. */
  async function take(page: Page, offer: string, step: number): Promise<void> {
    await page.getByRole("radio", { name: offer }).check();
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await page.locator(".trace-index", { hasText: new RegExp(`^${step}$`) }).waitFor();
    await ready(page);
  }
  const texts = (page: Page): Promise<string[]> => page.locator(".trace-text").allTextContents();

  /** What axe calls serious or critical. */
  async function seriousFindings(page: Page): Promise<readonly string[]> {
    // The page's policy lets no text be run as code, as axe is: it comes in from outside.
    return page.evaluate(async (source) => {
      const holder = globalThis as unknown as {
        axe?: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
      };
      if (holder.axe === undefined) new Function(source)();
      const { violations } = await holder.axe!.run();
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
    }, axe.source);
  }

  test("home shows environments with health and policies, and says what to do first, without a console error", async () => {
    const page = await openPage();
    const card = page.getByRole("article").filter({ hasText: "Water three plants, gently." });
    await card.getByText("Healthy").waitFor();
    expect(await card.textContent()).toContain("1 policy");
    await page.getByText("Nothing played yet. Take the tour").waitFor();
    await page.getByText(/Server is up/).waitFor();
    expect(await page.title()).toBe("Praxis workbench");
    expect(faults).toEqual([]);
  });

  test("an episode is played by mouse from its offers to its end, with reward by component and changes marked", async () => {
    const page = await openPage("#/play/garden");
    await page.getByText("research simulation, not gardening advice").waitFor();
    await begin(page);
    await take(page, "Water the fern", 1);
    expect(await page.locator(".changed").first().textContent()).toContain("n7-1");
    expect(await page.locator(".bars tr").first().textContent()).toContain("Growth0.2");
    await take(page, "Water the moss", 2);
    await take(page, "Water the reed", 3);
    await page.locator(".status-text", { hasText: "Ended: terminated, evening" }).waitFor();
    expect(await texts(page)).toEqual(["Water the fern", "Water the moss", "Water the reed"]);
    expect(await page.locator(".status").textContent()).toContain("0.6");
    expect(faults).toEqual([]);
    await page.getByRole("link", { name: "Home" }).click();
    const row = page.getByRole("row").filter({ hasText: "garden" }).first();
    await row.waitFor();
    expect(await row.textContent()).toContain("terminated, evening");
  });

  test("an episode is played by keyboard alone, with undo, fork and policy by their keys, and the focus is always visible", async () => {
    const page = await openPage("#/play/garden");
    await page.getByRole("button", { name: "Reset" }).waitFor();
    const tabTo = async (name: RegExp): Promise<void> => {
      for (let i = 0; i < 60; i++) {
        await page.keyboard.press("Tab");
        const focused = await page.evaluate(() => {
          const { activeElement: element } = document;
          if (element === null) return { text: "", outline: "" };
          const label = (element as HTMLInputElement).labels?.[0]?.textContent ?? "";
          return { text: label || (element.textContent ?? ""), outline: getComputedStyle(element).outlineStyle };
        });
        if (focused.text !== "") expect([focused.text, focused.outline]).toEqual([focused.text, "solid"]);
        if (name.test(focused.text)) return;
      }
      throw new Error(`Tab never came to ${name}`);
    };
    await tabTo(/^Seed/);
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await ready(page);
    await tabTo(/Water the fern/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".trace-text", { hasText: "Water the moss" }).waitFor();
    await page.keyboard.press("u");
    await page.getByText("No step taken yet.").waitFor();
    await ready(page);
    await page.keyboard.press("p");
    await page.locator(".trace-index", { hasText: /^1$/ }).waitFor();
    await ready(page);
    await page.keyboard.press("f");
    await page.getByRole("button", { name: /^Branch B/ }).waitFor();
    await ready(page);
    await page.keyboard.press("r");
    await page.locator(".status-text", { hasText: "Ended" }).waitFor();
    expect(faults).toEqual([]);
  });

  test("a fork goes another way from an earlier step in a session of its own, and both stand side by side with their returns", async () => {
    const page = await openPage("#/play/garden");
    await begin(page);
    await take(page, "Water the fern", 1);
    await take(page, "Water the moss", 2);
    await page.locator(".trace [role=option]").nth(1).click();
    await page.getByText("You look at step 1 of 2.").waitFor();
    await page.getByRole("button", { name: "Fork from here" }).click();
    await ready(page);
    await take(page, "Water the reed", 2);
    await expect.poll(() => server.sessions.active).toBe(2);
    await page.getByRole("button", { name: /^Side by side/ }).click();
    const cells = await page.locator(".compare-table tbody tr").nth(1).locator("td").allTextContents();
    expect(cells.map((text) => text.replace("you", "").trim())).toEqual(["Water the moss0.2", "Water the reed0.3"]);
    expect((await page.locator(".branch-totals strong").allTextContents()).map(Number)).toEqual([0.3, 0.4]);
    expect(faults).toEqual([]);
  });

  test("text of an environment that looks like markup is shown as text", async () => {
    const page = await openPage("#/play/garden");
    await begin(page);
    await page.locator(".column-main").getByText(MARKUP).waitFor();
    await page.getByText("Write the action as a form").click();
    await page.getByLabel("Litres").fill("5");
    await page.getByRole("button", { name: "Step with this form" }).click();
    await page.locator(".violations").getByText(`Too much water ${MARKUP}`).waitFor();
    expect(await page.locator("main img, main b").count()).toBe(0);
    expect(await page.title()).toBe("Praxis workbench");
    expect(faults).toEqual([]);
  });

  test("a field that does not fit is named before anything is sent, and a server's refusal is shown with code and hint", async () => {
    const page = await openPage("#/play/garden");
    await begin(page);
    await page.getByText("Write the action as a form").click();
    await page.getByLabel("Litres").fill("many");
    await page.getByRole("button", { name: "Step with this form" }).click();
    await page.getByText("'many' is not a number.").waitFor();
    expect(await page.getByLabel("Litres").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Litres").fill("2");
    await page.getByText("Optional fields").click();
    await page.getByLabel("Where").fill('{"row":1,"column":"x"}');
    await page.getByRole("button", { name: "Step with this form" }).click();
    const problem = page.locator(".notice.bad");
    await problem.getByText("VALIDATION_ERROR").waitFor();
    expect(await problem.textContent()).toContain("Compare the message with /schema");
    await page.getByLabel("Where").fill("");
    await page.getByRole("button", { name: "Step with this form" }).click();
    await page.locator(".trace-index", { hasText: /^1$/ }).waitFor();
    expect(await problem.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("seed, episode id and options go to the reset, and a wrong one is named at its field", async () => {
    const page = await openPage("#/play/garden");
    for (const [seed, message] of [
      ["-1", "Write 0 or more."],
      ["1.5", "Write a whole number."],
    ] as const) {
      await page.getByLabel("Seed", { exact: true }).fill(seed);
      await page.getByRole("button", { name: "Reset" }).click();
      await page.getByText(message).waitFor();
    }
    await page.getByLabel("Seed", { exact: true }).fill("42");
    await page.getByLabel("Episode id").fill("x".repeat(256));
    await page.getByRole("button", { name: "Reset" }).click();
    await page.getByText("Write at most 255 characters.").waitFor();
    await page.getByLabel("Episode id").fill("ep-1");
    await page.getByLabel("Season").selectOption({ label: "autumn" });
    await page.getByRole("button", { name: "Reset" }).click();
    await page.locator(".column-main").getByText("n42-0").waitFor();
    expect(faults).toEqual([]);
  });

  test("two tabs play two episodes that do not mix", async () => {
    const [one, two] = [await openPage("#/play/garden"), await openPage("#/play/garden")];
    await begin(one, "1");
    await begin(two, "2");
    await take(one, "Water the reed", 1);
    await one.locator(".column-main").getByText("n1-1").waitFor();
    await take(two, "Water the fern", 1);
    await two.locator(".column-main").getByText("n2-1").waitFor();
    expect([await texts(one), await texts(two)]).toEqual([["Water the reed"], ["Water the fern"]]);
  });

  test("a server that goes away is told, and the episode is played again when it is back", async () => {
    const page = await openPage("#/play/garden");
    await begin(page);
    await take(page, "Water the fern", 1);
    const { port } = new URL(url);
    await server.close();
    await page.getByRole("radio", { name: "Water the moss" }).check();
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await start(Number(port));
    await page.getByRole("button", { name: "Play it again on a new session" }).click();
    await ready(page);
    await page.getByText(/Server is up/).waitFor();
    await take(page, "Water the moss", 2);
    expect(await texts(page)).toEqual(["Water the fern", "Water the moss"]);
    // Requests may fail while the server is away; the page's own code may not.
    expect(faults.filter((fault) => fault.startsWith("exception"))).toEqual([]);
  });

  test("an environment of another server is played by its address, and one that is not there is named", async () => {
    const other = make(0, { registry: new EnvRegistry([definitions[0]!]), cors: ["*"], page: false, services: [] });
    const { url: elsewhere } = await other.listen();
    try {
      const page = await openPage("#/play/");
      await page.getByLabel("Address of the server").fill(elsewhere);
      await page.getByRole("button", { name: "Connect" }).click();
      await begin(page, "3");
      await take(page, "Water the fern", 1);
      expect(other.sessions.active).toBe(1);
      expect(faults).toEqual([]);
      await page.goto(`${url}/web/#/play/?url=${encodeURIComponent("http://127.0.0.1:9")}`);
      await page.getByText("CONNECTION_LOST").waitFor();
    } finally {
      await other.close();
    }
  });

  test("PolyGuard shows patient, alerts and what the agents said, the worth of each candidate, and the reward down to its parts", async () => {
    const page = await openPage("#/play/polyguard");
    await page.getByRole("button", { name: "Dangerous pair" }).click();
    await page.getByRole("heading", { name: "77 years, woman" }).waitFor();
    await page.getByText("Research simulation, not medical advice").waitFor();
    await page.locator(".offer-figures").first().waitFor();
    expect(await page.locator(".offer.illegal .offer-refusal").first().textContent()).toContain("Not legal: V");
    expect(await page.locator(".alert.major").count()).toBeGreaterThan(0);
    await page.getByLabel("Policy", { exact: true }).selectOption("planner_critic");
    await page.getByRole("button", { name: /^Policy step/ }).click();
    await page.getByRole("heading", { name: "What the agents said" }).waitFor();
    expect(await page.locator(".said-role").allTextContents()).toContain("Critic");
    expect(await page.locator(".fall").count()).toBe(5);
    expect(await page.locator(".waterfall .bars tr").count()).toBe(13);
    await page.locator("svg.graph").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("SpindleFlow shows whom a choice called and why, its reward term by term, and what was true only after the end", async () => {
    const page = await openPage("#/play/spindleflow");
    await page.getByRole("button", { name: "One task", exact: true }).click();
    await ready(page);
    await page.locator(".seat .claims").first().waitFor();
    const act = page.getByRole("form", { name: "Next action" });
    expect(await act.getByRole("radio", { name: /Call the mediator/ }).isDisabled()).toBe(true);
    await act.getByRole("checkbox", { name: /^0 / }).check();
    await act.getByRole("button", { name: "Step", exact: true }).click();
    await page.getByText(/^Orchestrator → Slot 0$/).waitFor();
    await page.getByText(/likeness to the task [0-9.]+, number \d of 6/).waitFor();
    expect(await page.locator("svg.delegation").getAttribute("aria-label")).toContain("Orchestrator called Slot 0");
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.getByRole("heading", { name: "What was true" }).count()).toBe(0);
    // The rest by keyboard: choose to stop, and send it.
    await act.getByRole("radio", { name: /^Stop/ }).focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "What was true" }).waitFor();
    expect(await page.locator(".term-row").count()).toBe(9);
    await page.getByText(/^Task 1 ended: reward/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("two policies play the same tasks, and stand side by side with their delegations", async () => {
    const page = await openPage("#/play/spindleflow");
    await page.getByRole("button", { name: "One task", exact: true }).click();
    await ready(page);
    await page.getByText("The same by two policies").click();
    await page.getByLabel("First policy").selectOption("alwaysOne");
    await page.getByLabel("Second policy").selectOption("callAllPar");
    await page.getByRole("button", { name: "Play both" }).click();
    await page.locator(".versus svg.delegation").nth(1).waitFor();
    expect(await page.locator(".versus .delegation .call").count()).toBe(7);
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("a learned policy of SpindleFlow shows how likely it found each choice, an oracle is marked as one, and a rule says it states none", async () => {
    const page = await openPage("#/play/spindleflow");
    await page.getByRole("button", { name: "One task", exact: true }).click();
    await ready(page);
    const policy = page.getByLabel("Policy", { exact: true });
    expect(await policy.locator("option", { hasText: "oracle: reads the hidden truth" }).count()).toBe(2);
    await policy.selectOption("set");
    await page.getByRole("button", { name: "Policy step" }).click();
    const odds = page.locator("details.odds");
    await odds
      .locator("tr", { hasText: /^Call.* %/ })
      .first()
      .waitFor();
    expect(await odds.getByText(/of all of it together/).count()).toBe(1);
    expect(await seriousFindings(page)).toEqual([]);
    await policy.selectOption("greedyMediate");
    await page.getByRole("button", { name: "Policy step" }).click();
    await page.getByText("it states no probabilities").waitFor();
    expect(faults).toEqual([]);
  });

  test("two tabs of SpindleFlow do not mix, and a server that was killed is told and the shift played again", async () => {
    const open = async (seed: string): Promise<Page> => {
      const page = await openPage("#/play/spindleflow");
      await begin(page, seed);
      return page;
    };
    const [one, two] = [await open("1"), await open("2")];
    const call = async (page: Page, slot: number, step: number): Promise<void> => {
      const act = page.getByRole("form", { name: "Next action" });
      await act.getByRole("checkbox", { name: new RegExp(`^${slot} `) }).check();
      await act.getByRole("button", { name: "Step", exact: true }).click();
      await page.locator(".trace-index", { hasText: new RegExp(`^${step}$`) }).waitFor();
      await ready(page);
    };
    const textOf = (page: Page): Promise<string | null> => page.locator(".task-text").first().textContent();
    const before = [await textOf(one), await textOf(two)];
    expect(before[0]).not.toBe(before[1]);
    await call(one, 0, 1);
    expect([await texts(one), await texts(two)].map((list) => list.length)).toEqual([1, 0]);
    const { port } = new URL(url);
    await server.close();
    await one.getByRole("form", { name: "Next action" }).getByRole("checkbox", { name: /^1 / }).check();
    await one.getByRole("button", { name: "Step", exact: true }).click();
    await start(Number(port));
    await one.getByRole("button", { name: "Play it again on a new session" }).click();
    await ready(one);
    expect([await textOf(one), await texts(one)].flat()).toHaveLength(2);
    expect(await textOf(one)).toBe(before[0]);
    expect(faults.filter((fault) => fault.startsWith("exception"))).toEqual([]);
  });

  test("markup in a task's text and in an agent's reply is shown as text, with its flags", async () => {
    const definition = loadSpindleFlow() as unknown as EnvDefinition;
    const marked = <T extends { observation: unknown; info: Info }>(result: T): T => {
      const { summary, ...rest } = result.observation as { summary: object };
      const scratchpad = [{ id: "a", authorSlot: 2, step: 1, text: `done ${MARKUP}`, flags: ["override"] }];
      return {
        ...result,
        observation: { ...rest, summary: { ...summary, task: MARKUP } },
        info: { ...result.info, scratchpad },
      };
    };
    const makeEnv: EnvDefinition["makeEnv"] = (options) => {
      const env = definition.makeEnv(options) as SyncEnv;
      return new Proxy(env, {
        get(target, key) {
          if (key === "reset") return (request: ResetRequest) => marked(target.reset(request));
          if (key === "step") return (action: unknown) => marked(target.step(action));
          const value: unknown = Reflect.get(target, key, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    };
    const other = make(0, { registry: new EnvRegistry([{ ...definition, makeEnv }]) });
    const { url: elsewhere } = await other.listen();
    try {
      const page = await openPage("#/play/spindleflow", 1440, elsewhere);
      await page.getByRole("button", { name: "One task", exact: true }).click();
      await ready(page);
      await page.locator(".task-text").getByText(MARKUP).waitFor();
      await page.locator(".pad-text").getByText(`done ${MARKUP}`).waitFor();
      await page.locator(".pad .flags", { hasText: "override" }).waitFor();
      expect(await page.locator("main img, main b").count()).toBe(0);
      expect(await page.title()).toBe("Praxis workbench");
      // This server answers no questions about situations; the page goes on without.
      expect(faults.filter((fault) => fault.startsWith("exception"))).toEqual([]);
    } finally {
      await other.close();
    }
  });

  test("the tour plays an episode of each environment to its end", async () => {
    const page = await openPage("#/play/polyguard?tour=1");
    const next = async (name: string): Promise<void> => {
      const button = page.locator(".tour").getByRole("button", { name, exact: true });
      await expect.poll(() => button.isEnabled(), { timeout: 20_000 }).toBe(true);
      await button.click();
    };
    for (const name of ["Begin", "Next", "Next", "Next", "Next", "On to the next environment"]) await next(name);
    await page.getByRole("heading", { name: "The second environment" }).waitFor();
    for (const name of ["Begin", "Next", "Next", "Next", "Next"]) await next(name);
    await page.getByText("10 of 10").waitFor();
    await page.getByRole("button", { name: /^Branch B/ }).waitFor();
    await next("Finish the tour");
    await expect.poll(() => page.locator(".tour").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("a FHIR bundle is reviewed: findings, proposals and what was not used; a name that is markup is text; both exports are saved", async () => {
    const page = await openPage("#/review");
    const choose = (name: string, text: string): Promise<void> =>
      page.getByLabel("Choose a file").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
    await choose("broken.json", "{");
    await page.getByText("INVALID_JSON").waitFor();
    const bundle = JSON.parse(readFileSync(join(patients, "bleeding.json"), "utf8")) as {
      entry: { resource: { resourceType: string; name?: unknown } }[];
    };
    bundle.entry.find(({ resource }) => resource.resourceType === "Patient")!.resource.name = [{ text: MARKUP }];
    await choose("patient.json", JSON.stringify(bundle));
    await page.getByRole("heading", { name: MARKUP }).waitFor();
    expect(await page.locator(".finding.major").count()).toBeGreaterThan(0);
    expect(await page.locator(".proposal").count()).toBeGreaterThan(0);
    expect(await page.getByRole("heading", { name: "What was not used, and why" }).count()).toBe(1);
    expect(await page.locator("main img").count()).toBe(0);
    for (const [button, name] of [
      ["Save as HTML", "patient-review.html"],
      ["Save as FHIR", "patient-review.json"],
    ] as const) {
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: button }).click();
      const download = await saved;
      expect(download.suggestedFilename()).toBe(name);
      const text = readFileSync(await download.path(), "utf8");
      if (name.endsWith(".json")) expect((JSON.parse(text) as { resourceType: string }).resourceType).toBe("Bundle");
      else expect(text).toContain("&lt;img");
    }
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("a run of a team shows its graph, timeline, feedback with what was changed, and its texts as text", async () => {
    await runFlowFile(join(flows, "research-brief.yml"), {
      now: () => 0,
      env: {},
      fetch: globalThis.fetch,
      input: MARKUP,
      rng: Rng.fromSeed(1),
      seed: "1",
      clock: (start) => new VirtualClock(start),
      folder: join(runs, "brief"),
      recordContent: true,
    });
    const page = await openPage("#/flow");
    await page.getByRole("link", { name: /research-brief/ }).click();
    await page.locator(".run-node.completed").first().waitFor();
    expect(await page.locator(".timeline .lane-bar").count()).toBeGreaterThan(5);
    expect(await page.locator(".diff ins").count()).toBeGreaterThan(0);
    await page.locator(".run-node.agent").first().click();
    await page.locator(".output").first().waitFor();
    expect(await page.locator(".run-input").textContent()).toContain("<img");
    expect(await page.locator("main img").count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test("nothing is wider than a phone, and axe finds nothing serious, light and dark", async () => {
    for (const [hash, width] of [
      ["#/", 390],
      ["#/play/garden", 390],
      ["#/play/spindleflow", 390],
      ["#/play/", 1024],
    ] as const) {
      const page = await openPage(hash, width);
      if (hash.startsWith("#/play/") && hash !== "#/play/") await begin(page);
      else await page.getByText("garden").first().waitFor();
      expect([hash, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([hash, width]);
      for (const theme of hash === "#/" ? (["light", "dark"] as const) : (["dark"] as const)) {
        await page.getByLabel("Colours").selectOption(theme);
        expect([hash, theme, await seriousFindings(page)]).toEqual([hash, theme, []]);
      }
    }
  });

  test("the page of one environment at its prefix plays that one", async () => {
    const page = await openPage("#/", 1440, `${url}/garden`);
    await page.getByRole("link", { name: "Play garden" }).click();
    await begin(page);
    expect(faults).toEqual([]);
  });

  test("a server with tokens asks for one, and plays with it", async () => {
    await server.close();
    await start(0, { tokens: { trainer: "trainer-token" } });
    const page = await openPage();
    await page.getByLabel("Access token").fill("trainer-token");
    await page.getByRole("button", { name: "Use the token" }).click();
    await page.getByRole("link", { name: "Play garden" }).click();
    await begin(page);
    await take(page, "Water the fern", 1);
  });
});
