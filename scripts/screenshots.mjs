// Takes a picture of every page (or of those named) of the workbench at three widths, light and dark, into runs/screenshots. Needs Chromium.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(root, "runs", "screenshots");
const PORT = 8461;
const URL_BASE = `http://127.0.0.1:${PORT}/web/`;
const WIDTHS = [1440, 1024, 390];
const THEMES = ["light", "dark"];

const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => path !== undefined && existsSync(path),
);
if (executablePath === undefined) {
  console.error("screenshots: no Chromium found. Install it, or set CHROMIUM to its path.");
  process.exit(1);
}

/** Starts an example team, so that there is a run to show. */
async function runTeam(runs) {
  const child = spawn(
    process.execPath,
    [
      "packages/cli/dist/main.js",
      "flow",
      "run",
      "examples/flows/research-brief.yml",
      "-i",
      "What helps?",
      "--record-content",
      "--out",
      runs,
    ],
    { cwd: root, stdio: "ignore" },
  );
  await new Promise((resolve) => child.once("exit", resolve));
}

const reset = (page) => page.getByRole("button", { name: "Reset", exact: true }).click();
const ready = (page) => page.locator(".status-text", { hasText: /Your turn|Ended/ }).waitFor();
async function preset(page, name) {
  await page.getByRole("button", { name, exact: true }).click();
  await ready(page);
}
async function play(page, policy) {
  await page.getByLabel("Policy", { exact: true }).selectOption(policy);
  await page.getByLabel("Speed").selectOption({ label: "At full speed" });
  await page.getByRole("button", { name: /^Run/ }).click();
  await page.locator(".status-text", { hasText: /Ended/ }).waitFor({ timeout: 60_000 });
}

/** Pages by name: where they are and what is done before the picture. */
const PAGES = {
  home: { hash: "#/", act: (page) => page.locator(".card .badge").nth(3).waitFor() },
  play: { hash: "#/play/", act: (page) => page.locator(".choice-card").first().waitFor() },
  "play-grid": {
    hash: "#/play/grid",
    act: async (page) => {
      await reset(page);
      await ready(page);
      await page.keyboard.press("p");
      await page.locator(".trace-row").nth(1).waitFor();
    },
  },
  tour: {
    hash: "#/play/polyguard?tour=1",
    act: async (page) => {
      await page.getByRole("button", { name: "Begin", exact: true }).click();
      await ready(page);
    },
  },
  polyguard: {
    hash: "#/play/polyguard",
    act: async (page) => {
      await preset(page, "Dangerous pair");
      await page.getByLabel("Policy", { exact: true }).selectOption("planner_critic");
      for (let step = 1; step <= 3; step++) {
        await page.getByRole("button", { name: /^Policy step/ }).click();
        await page
          .getByText(`${step} step${step === 1 ? "" : "s"}, `)
          .first()
          .waitFor();
      }
      await page.locator(".offer-figures").first().waitFor();
    },
  },
  dosing: {
    hash: "#/play/polyguard",
    act: async (page) => {
      await preset(page, "Dosing by level");
      await play(page, "map_planner");
    },
  },
  taper: {
    hash: "#/play/polyguard",
    act: async (page) => {
      await preset(page, "Taper");
      await play(page, "rule_based");
    },
  },
  bandit: {
    hash: "#/play/polyguard",
    act: async (page) => {
      await preset(page, "Search by probes");
      await page.getByLabel("Policy", { exact: true }).selectOption("rule_based");
      for (let step = 0; step < 4; step++) {
        await page.keyboard.press("p");
        await ready(page);
        await page.waitForTimeout(200);
      }
    },
  },
  fork: {
    hash: "#/play/polyguard",
    act: async (page) => {
      await preset(page, "Dangerous pair");
      await play(page, "rule_based");
      await page.locator(".trace [role=option]").nth(1).click();
      await page.getByRole("button", { name: "Fork from here" }).click();
      await ready(page);
      await play(page, "keep_always");
      await page.getByRole("button", { name: /^Side by side/ }).click();
      await page.locator(".compare-table").waitFor();
    },
  },
  spindleflow: {
    hash: "#/play/spindleflow",
    act: async (page) => {
      await preset(page, "A shift of five");
      await page.getByLabel("Policy", { exact: true }).selectOption("set");
      for (let step = 1; step <= 2; step++) {
        await page.getByRole("button", { name: /^Policy step/ }).click();
        await page.locator(".trace-index", { hasText: new RegExp(`^${step}$`) }).waitFor();
        await ready(page);
      }
      await page.locator(".seat .meter").first().waitFor();
    },
  },
  "spindleflow-end": {
    hash: "#/play/spindleflow",
    act: async (page) => {
      await preset(page, "One task");
      await play(page, "cueGreedy");
      await page.getByRole("heading", { name: "What was true" }).waitFor();
    },
  },
  "spindleflow-two": {
    hash: "#/play/spindleflow",
    act: async (page) => {
      await preset(page, "A shift of five");
      await page.getByText("The same by two policies").click();
      await page.getByRole("button", { name: "Play both" }).click();
      await page.locator(".versus").first().waitFor({ timeout: 60_000 });
    },
  },
  review: {
    hash: "#/review",
    act: async (page) => {
      await page.getByLabel("Choose a file").setInputFiles(join(root, "examples", "patients", "bleeding.json"));
      await page.locator(".findings").waitFor();
    },
  },
  flow: {
    hash: "#/flow",
    act: async (page) => {
      await page.locator(".runs a").first().click();
      await page.locator(".run-node.agent").first().click();
      await page.locator(".output").first().waitFor();
    },
  },
};

/** The four pictures of the README; `--readme` makes them. */
const README_PAGES = ["polyguard", "spindleflow", "fork", "review"];
const isReadme = process.argv.includes("--readme");
const only = isReadme ? README_PAGES : process.argv.slice(2);

/** Writes what is in view as WebP, which Chromium itself makes. */
async function writeWebp(page, path) {
  const png = await page.screenshot();
  const canvas = await page.context().newPage();
  const data = await canvas.evaluate(
    async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const drawn = document.createElement("canvas");
      [drawn.width, drawn.height] = [image.width, image.height];
      drawn.getContext("2d").drawImage(image, 0, 0);
      return drawn.toDataURL("image/webp", 0.82);
    },
    `data:image/png;base64,${png.toString("base64")}`,
  );
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, Buffer.from(data.slice(data.indexOf(",") + 1), "base64"));
}

const unknown = only.find((name) => !(name in PAGES));
if (unknown !== undefined) {
  console.error(`screenshots: no page '${unknown}'. Pages: ${Object.keys(PAGES).join(", ")}.`);
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const runs = join(folder, "flow-runs");
if (!existsSync(runs)) await runTeam(runs);
const server = spawn(process.execPath, ["packages/cli/dist/main.js", "serve", "--port", String(PORT), "--runs", runs], {
  cwd: root,
  stdio: ["ignore", "ignore", "pipe"],
});
await new Promise((resolve, reject) => {
  server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  server.stderr.setEncoding("utf8").on("data", (text) => text.includes("is serving") && resolve());
});
const browser = await chromium.launch({
  executablePath,
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--force-device-scale-factor=1"],
});
let faults = 0;
try {
  for (const [name, { hash, act }] of Object.entries(PAGES)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const context = await browser.newContext({ viewport: { width: WIDTHS[0], height: 900 } });
    const page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && console.error(`${name}: ${message.text()}`));
    page.on("pageerror", (error) => console.error(`${name}: ${error}`));
    try {
      await page.goto(`${URL_BASE}${hash}`);
      await act(page);
      if (isReadme) {
        await page.evaluate(() => scrollTo(0, 0));
        await writeWebp(page, join(root, "docs", "images", `${name}.webp`));
        await context.close();
        continue;
      }
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: width < 500 ? 844 : 900 });
        for (const theme of THEMES) {
          await page.emulateMedia({ colorScheme: theme });
          await page.waitForTimeout(250);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          if (wide > width) {
            faults++;
            console.error(`${name}: ${wide} pixels wide at ${width}`);
          }
          await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`), fullPage: true });
        }
      }
    } catch (error) {
      faults++;
      console.error(`${name}: ${error.message}`);
      await page.screenshot({ path: join(folder, `${name}-failed.png`) });
    }
    await context.close();
  }
} finally {
  await browser.close();
  server.removeAllListeners("exit");
  server.kill("SIGTERM");
}
console.error(`screenshots: ${folder}`);
process.exitCode = faults === 0 ? 0 : 1;
