import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { PraxisError } from "@praxis/env";

const CLI = fileURLToPath(new URL("../../packages/cli/bin/praxis.js", import.meta.url));

/** Runs `praxis` as a user would; what it wrote. Throws ENVIRONMENT_ERROR when it fails. */
export function praxis(...args: readonly string[]): { readonly out: string; readonly err: string } {
  const done = spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8", maxBuffer: 1e9 });
  if (done.status !== 0) throw new PraxisError("ENVIRONMENT_ERROR", `praxis ${args.join(" ")}: ${done.stderr}`);
  return { out: done.stdout, err: done.stderr };
}
