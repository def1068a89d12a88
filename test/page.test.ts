import { existsSync } from "node:fs";
import { type EnvDefinition, EnvRegistry } from "@praxis/env";
import { counterEnv } from "@praxis/env/testing";
import { createServer, type PraxisServer } from "@praxis/server";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
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
const DEFINITIONS = [gardenEnv, counterEnv] as unknown as EnvDefinition[];

describe.skipIf(browserPath === undefined)("the page (needs Chromium: set CHROMIUM or install it)", () => {
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
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    faults = [];
  });

  async function start(port: number, options: { readonly tokens?: { readonly trainer: string } } = {}): Promise<void> {
    server = createServer({ registry: new EnvRegistry(DEFINITIONS), port, seed: 0, ...options });
    ({ url } = await server.listen());
  }

  async function openPage(width = 1440, path = "/"): Promise<Page> {
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
    await page.goto(`${url}${path}`);
    await page.getByRole("button", { name: /^garden/ }).waitFor();
    return page;
  }

  async function begin(page: Page, name = "garden", seed = "7"): Promise<void> {
    await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
    await page.getByLabel("Seed").fill(seed);
    await page.getByRole("button", { name: "Reset" }).click();
    await page.getByRole("button", { name: "Step" }).waitFor();
  }

  const steps = (page: Page): Promise<string[]> => page.locator("#history tbody tr").allTextContents();

  test("lists the environments with description, health and sessions, without a console error or a failed request", async () => {
    const page = await openPage();
    const entry = page.getByRole("button", { name: /^garden/ });
    expect(await entry.textContent()).toContain("Water three plants, gently.Healthy, 0 of 256 sessions");
    await entry.click();
    await page.getByText("Research simulation, not gardening advice").waitFor();
    await page.getByLabel("Season").waitFor();
    expect(await page.title()).toBe("Praxis environments");
    expect(faults).toEqual([]);
  });

  test("an episode is played by mouse from its offered actions to its end", async () => {
    const page = await openPage();
    await begin(page);
    for (const plant of ["fern", "moss", "reed"]) {
      await page.getByRole("button", { name: `Water the ${plant}` }).click();
      await page.getByRole("button", { name: "Step" }).click();
      await page.locator("#history").getByText(`Plant: ${plant}`).waitFor();
    }
    await page.getByText("The episode has ended (evening), at its own end. Reset to begin another.").waitFor();
    expect(await page.locator("#history td:first-child").allTextContents()).toEqual(["3", "2", "1"]);
    expect(await page.locator("#reward").textContent()).toContain("0.3 this step, 0.6 in 3 steps");
    expect(await page.locator("#reward tr").first().textContent()).toBe("Growth0.6");
    expect(faults).toEqual([]);
  });

  test("an episode is played by keyboard alone, and the focus is always visible", async () => {
    const page = await openPage();
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
    await tabTo(/^garden/);
    await page.keyboard.press("Enter");
    await page.getByLabel("Seed").waitFor();
    await tabTo(/^Seed/);
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Step" }).waitFor();
    await tabTo(/Water the moss/);
    await page.keyboard.press("Space");
    await tabTo(/^Step/);
    await page.keyboard.press("Enter");
    await page.locator("#history").getByText("Plant: moss").waitFor();
    expect(faults).toEqual([]);
  });

  test("text of an environment that looks like markup is shown as text", async () => {
    const page = await openPage();
    await begin(page);
    await page.locator("#observation").getByText(MARKUP).waitFor();
    await page.locator("#step-details > summary").click();
    await page.getByLabel("Litres").fill("5");
    await page.getByRole("button", { name: "Step" }).click();
    await page.locator("#history").getByText(`Too much water ${MARKUP}`).waitFor();
    expect(await page.locator("#environment img, #environment b").count()).toBe(0);
    expect(await page.title()).toBe("Praxis environments");
    expect(faults).toEqual([]);
  });

  test("a field that does not fit is named before anything is sent, and a server's refusal is shown with code and hint", async () => {
    const page = await openPage();
    await begin(page);
    await page.locator("#step-details > summary").click();
    await page.getByLabel("Litres").fill("many");
    await page.getByRole("button", { name: "Step" }).click();
    await page.getByText("'many' is not a number.").waitFor();
    expect(await page.getByLabel("Litres").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Litres").fill("2");
    await page.locator("summary", { hasText: "optional fields" }).or(page.getByLabel("Where")).first().waitFor();
    await page.getByLabel("Where").fill('{"row":1,"column":"x"}');
    await page.getByRole("button", { name: "Step" }).click();
    const problem = page.locator("#problem");
    await problem.getByText("VALIDATION_ERROR").waitFor();
    expect(await problem.textContent()).toContain("Compare the message with /schema");
    expect(await problem.getAttribute("aria-live")).toBe("assertive");
    await page.getByLabel("Where").fill("");
    await page.getByRole("button", { name: "Step" }).click();
    await page.locator("#history tbody tr").waitFor();
    expect(await problem.textContent()).toBe("");
    expect(faults).toEqual([]);
  });

  test("seed, episode id and options go to the reset, and a wrong seed is named at its field", async () => {
    const page = await openPage();
    await begin(page, "garden", "41");
    await page.locator("#observation").getByText("n41-0").waitFor();
    for (const [seed, message] of [
      ["-1", "Write 0 or more."],
      ["1.5", "Write a whole number."],
    ]) {
      await page.getByLabel("Seed").fill(seed!);
      await page.getByRole("button", { name: "Reset" }).click();
      await page.getByText(message!).waitFor();
    }
    await page.getByLabel("Seed").fill("42");
    await page.getByLabel("Episode id").fill("x".repeat(256));
    await page.getByRole("button", { name: "Reset" }).click();
    await page.getByText("Write at most 255 characters.").waitFor();
    await page.getByLabel("Episode id").fill("ep-1");
    await page.getByLabel("Season").selectOption({ label: "autumn" });
    await page.getByRole("button", { name: "Reset" }).click();
    await page.locator("#observation").getByText("n42-0").waitFor();
    expect(faults).toEqual([]);
  });

  test("two tabs play two episodes that do not mix", async () => {
    const [one, two] = [await openPage(), await openPage()];
    await begin(one, "garden", "1");
    await begin(two, "garden", "2");
    expect(server.sessions.active).toBe(2);
    await one.getByRole("button", { name: "Water the reed" }).click();
    await one.getByRole("button", { name: "Step" }).click();
    await one.locator("#observation").getByText("n1-1").waitFor();
    await two.getByRole("button", { name: "Water the fern" }).click();
    await two.getByRole("button", { name: "Step" }).click();
    await two.locator("#observation").getByText("n2-1").waitFor();
    expect((await steps(two)).join()).not.toContain("reed");
    expect((await steps(one)).join()).not.toContain("fern");
  });

  test("choosing another environment ends the session of the first", async () => {
    const page = await openPage();
    await begin(page);
    await begin(page, "counter");
    await page.getByLabel("Message").fill("stop");
    await page.getByRole("button", { name: "Step" }).click();
    await page.getByText("The episode has ended (stopped)").waitFor();
    await expect.poll(() => server.sessions.active).toBe(1);
    expect(faults).toEqual([]);
  });

  test("a server that goes away is told, and the page goes on when it is back", async () => {
    const page = await openPage();
    await begin(page);
    const { port } = new URL(url);
    await server.close();
    await page.getByText("Connection lost, trying again").waitFor();
    await page.locator("#problem").getByText("SHUTTING_DOWN").or(page.getByText("CONNECTION_LOST")).first().waitFor();
    await start(Number(port));
    await page.getByText("The episode is gone, reset to begin another").waitFor();
    await page.getByText("Server is up").waitFor();
    await page.getByRole("button", { name: "Reset" }).click();
    await page.getByRole("button", { name: "Step" }).waitFor();
    await page.getByText("Episode running").waitFor();
    // Requests may fail while the server is away; the page's own code may not.
    expect(faults.filter((fault) => fault.startsWith("exception"))).toEqual([]);
  });

  test("a server with tokens asks for one, and plays with it", async () => {
    await server.close();
    await start(0, { tokens: { trainer: "trainer-token" } });
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    await page.getByLabel("Access token").fill("trainer-token");
    await page.getByRole("button", { name: "Use the token" }).click();
    await begin(page);
    expect(await page.getByLabel("Access token").isVisible()).toBe(false);
  });

  test("nothing is wider than a phone", async () => {
    await server.close();
    await start(0);
    const page = await openPage(390);
    await begin(page);
    await page.getByRole("button", { name: "Water the fern" }).click();
    await page.getByRole("button", { name: "Step" }).click();
    await page.locator("#history tbody tr").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test("a FHIR bundle is sent for review, and its findings, proposals, unused entries and score are shown as text", async () => {
    const page = await openPage();
    await page.getByRole("button", { name: /^garden/ }).click();
    const sent: (string | null)[] = [];
    await page.route("**/garden/review", (route) => {
      sent.push(route.request().postData());
      return route.fulfill({
        json: {
          findings: [{ severity: "major", text: `Fern and moss ${MARKUP}` }],
          proposals: [{ text: "Water less", before: "5 L", after: "2 L" }],
          unused: [{ entry: "Bundle.entry[3]", reason: "no plant" }],
          score: { total: 0.6134, components: { growth: 0.5, care: 1 } },
        },
      });
    });
    const choose = (name: string, text: string): Promise<void> =>
      page.getByLabel("Bundle file").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
    await choose("broken.json", "{");
    await page.getByText("INVALID_JSON").waitFor();
    expect(sent).toEqual([]);
    await choose("bundle.json", '{"resourceType":"Bundle"}');
    const result = page.locator("#review-result");
    await result.getByText(`Fern and moss ${MARKUP}`).waitFor();
    expect(sent).toEqual(['{"resourceType":"Bundle"}']);
    expect(await result.getByRole("heading").allTextContents()).toEqual([
      "Review of bundle.json",
      "Findings",
      "Proposed actions, before and after",
      "Entries that were not used",
      "Score 0.6134, by component",
    ]);
    expect(await result.locator("img").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("the page of one environment at its prefix shows that one", async () => {
    const page = await openPage(1440, "/garden");
    expect(await page.locator("#environments button").count()).toBe(1);
    await begin(page);
    expect(faults).toEqual([]);
  });
});
