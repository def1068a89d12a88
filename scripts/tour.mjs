// Runs the commands of the README's tour against a server of its own and writes what they print between the tour marks.
// `--check` runs them and compares only the commands: figures in the output may differ from machine to machine.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const readme = join(root, "README.md");
const cli = join(root, "packages", "cli", "bin", "praxis.js");
const port = 8417;

/** Commands of the tour with the lines of their output that the README shows. */
const TOUR = [
  {
    say: "A patient's record goes in; what was found, what the agent did and how it was scored come out:",
    args: ["review", "examples/patients/bleeding.json"],
    show: (lines) => [
      ...around(lines, "Findings", 4),
      "  …",
      ...around(lines, "What the agent did", 4),
      "  …",
      ...lines.filter((line) => line.startsWith("Expected harm")),
    ],
  },
  {
    say: "An episode of the environment, readable and recorded:",
    args: [
      "play",
      "polyguard",
      "--policy",
      "rule_based",
      "--difficulty",
      "easy",
      "--seed",
      "7",
      "--score-task",
      "--trace",
      "runs/tour.jsonl",
    ],
    show: (lines) => [...lines.slice(1, 4), "  …", ...lines.slice(-9)],
  },
  { say: "The same episode again, step by step:", args: ["replay", "runs/tour.jsonl"], show: (lines) => lines },
  {
    say: "A team of language-model agents that a YAML file describes; `praxis flow run` plays it without any key:",
    args: ["flow", "graph", "examples/flows/incident-triage.yml"],
    show: (lines) => lines,
  },
  {
    say: "The server against the protocol:",
    args: ["validate", "http://127.0.0.1:8000/polyguard"],
    show: (lines) => lines.slice(-1),
  },
];

const around = (lines, start, count) => {
  const at = lines.findIndex((line) => line.startsWith(start));
  return at < 0 ? [] : lines.slice(at, at + count);
};
const shortened = (line) => (line.length > 138 ? `${line.slice(0, 137)}…` : line);

async function main(checkOnly) {
  const trace = join(root, "runs", "tour.jsonl");
  if (existsSync(trace)) rmSync(trace);
  const server = spawn(process.execPath, [cli, "serve", "--port", String(port)], { cwd: root, stdio: "ignore" });
  try {
    for (let tries = 0; ; tries++) {
      const up = await fetch(`http://127.0.0.1:${port}/health`).then(
        (reply) => reply.ok,
        () => false,
      );
      if (up) break;
      if (tries > 100) throw new Error("the server did not start");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const parts = [];
    for (const { say, args, show } of TOUR) {
      const real = args.map((arg) => arg.replace(":8000", `:${port}`));
      const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...real], { cwd: root, encoding: "utf8" });
      if (status !== 0) throw new Error(`praxis ${args.join(" ")} ended with ${status}: ${stderr}`);
      const shown = show(stdout.trimEnd().split("\n")).map(shortened);
      parts.push(`${say}\n\n\`\`\`console\n$ npx praxis ${args.join(" ")}\n${shown.join("\n")}\n\`\`\``);
    }
    const text = readFileSync(readme, "utf8");
    if (checkOnly) {
      const missing = TOUR.filter(({ args }) => !text.includes(`$ npx praxis ${args.join(" ")}\n`));
      if (missing.length > 0)
        throw new Error(
          `README's tour lacks: ${missing.map(({ args }) => args.join(" ")).join("; ")}. Run node scripts/tour.mjs.`,
        );
    } else
      writeFileSync(
        readme,
        text.replace(
          /<!-- tour -->[\s\S]*?<!-- \/tour -->/,
          () => `<!-- tour -->\n\n${parts.join("\n\n")}\n\n<!-- /tour -->`,
        ),
      );
  } finally {
    server.kill();
  }
}

main(process.argv.includes("--check")).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
