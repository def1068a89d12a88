import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../.venv", import.meta.url));

/** A Python that can import a module: named by PRAXIS_PYTHON, of the virtual environments in `.venv`, or `python3`; else null. */
export function findPython(module: string): string | null {
  const own = existsSync(root) ? readdirSync(root).map((name) => join(root, name, "bin", "python")) : [];
  const candidates = [process.env.PRAXIS_PYTHON ?? "", ...own, "python3"].filter((path) => path !== "");
  const code = `import importlib.util, sys; sys.exit(importlib.util.find_spec(${JSON.stringify(module)}) is None)`;
  return candidates.find((python) => spawnSync(python, ["-c", code]).status === 0) ?? null;
}

/** The JSON document that a Python program prints. */
export function runPython(python: string, program: string, args: readonly string[] = []): unknown {
  const { status, stdout, stderr } = spawnSync(python, ["-c", program, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`Python ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}
