// Makes a checkout ready to run: `npm ci` when node_modules does not fit package-lock.json, then `tsc -b`
// and the page.
// Uses Node only, since it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST_NODE = 20;
const FLAGS = ["--install-only", "--native", "--help"];
const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Packages of a lock file by path, or null when the file is missing or broken. */
function lockedPackages(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages ?? null;
  } catch {
    return null;
  }
}

/** Says why node_modules does not fit package-lock.json, or null when it does. */
export function whyInstall(folder) {
  const wanted = lockedPackages(join(folder, "package-lock.json"));
  if (wanted === null) throw new Error("package-lock.json is missing or not readable; restore it from the repository.");
  const found = lockedPackages(join(folder, "node_modules", ".package-lock.json"));
  if (found === null) return "nothing is installed yet";
  for (const [path, entry] of Object.entries(wanted)) {
    // The root entry is never in the installed list, and optional packages for other platforms are left out of it.
    if (path === "" || (entry.optional === true && found[path] === undefined)) continue;
    const installed = found[path];
    if (installed === undefined) return `${path} is missing`;
    if (installed.version !== entry.version) return `${path} is ${installed.version}, the lock says ${entry.version}`;
    if (entry.link === true && !existsSync(join(folder, path))) return `${path} is missing`;
  }
  const extra = Object.keys(found).find((path) => wanted[path] === undefined);
  return extra === undefined ? null : `${extra} is no longer wanted`;
}

/** Runs a command in the repository and ends this process with its exit code if it fails. */
function run(command, args) {
  const { status, signal, error } = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32" && command === "npm",
  });
  if (error !== undefined) {
    console.error(`prepare: ${command} could not be started: ${error.message}`);
    process.exit(1);
  }
  if (status === 0) return;
  console.error(
    `prepare: ${[command, ...args].join(" ")} ${signal === null ? `ended with ${status}` : `got ${signal}`}.`,
  );
  process.exit(status ?? 1);
}

function main(args) {
  const unknown = args.find((arg) => !FLAGS.includes(arg));
  if (unknown !== undefined || args.includes("--help")) {
    console.error(
      `${unknown === undefined ? "" : `prepare: unknown flag ${unknown}. `}Usage: node scripts/prepare.mjs [--install-only] [--native]`,
    );
    process.exit(unknown === undefined ? 0 : 2);
  }
  const major = Number(process.versions.node.split(".")[0]);
  if (major < OLDEST_NODE) {
    console.error(`prepare: Node ${process.versions.node} is too old; Praxis needs Node ${OLDEST_NODE} or newer.`);
    process.exit(1);
  }
  let reason;
  try {
    reason = whyInstall(root);
  } catch (error) {
    console.error(`prepare: ${error.message}`);
    process.exit(1);
  }
  if (reason !== null) {
    console.error(`prepare: installing packages (${reason}) ...`);
    run("npm", ["ci", "--no-audit", "--no-fund"]);
  }
  if (args.includes("--install-only")) return;
  run(process.execPath, [join("node_modules", "typescript", "bin", "tsc"), "-b"]);
  // Takes a moment when nothing of the page has changed.
  run(process.execPath, [join("packages", "workbench", "scripts", "build.mjs")]);
  // Only where numbers are crunched: serving needs no kernels. Says in one line when there is no compiler; WASM does then.
  if (args.includes("--native")) run(process.execPath, [join("packages", "nn", "scripts", "build-native.mjs")]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
