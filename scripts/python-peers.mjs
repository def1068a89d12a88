// Finds or creates the virtual environments with the official OpenEnv packages that tests use as peers.
//   node scripts/python-peers.mjs            says what is there
//   node scripts/python-peers.mjs --json     the same as one JSON document
//   node scripts/python-peers.mjs --install  creates what is missing (needs Python 3.10 or newer and pip)
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FLAGS = ["--install", "--json", "--help"];
const INSTALL_TIMEOUT_MS = 300_000;
const PROBE_TIMEOUT_MS = 20_000;
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const binFolder = process.platform === "win32" ? "Scripts" : "bin";

/** The official packages that tests talk to. */
export const PEERS = [
  { name: "openenv-core-0.3", distribution: "openenv-core", version: "0.3.0" },
  { name: "openenv-0.10", distribution: "openenv", version: "0.10.0" },
];

const folderOf = (peer) => join(root, ".venv", peer.name);

/** State of one peer: its interpreter and command, or the reason why it cannot be used. */
export function findPeer(peer) {
  const bin = join(folderOf(peer), binFolder);
  const python = join(bin, "python");
  const command = join(bin, "openenv");
  const found = { ...peer, python, command };
  if (!existsSync(python)) return { ...found, missing: `.venv/${peer.name} does not exist` };
  const probe = spawnSync(
    python,
    ["-c", `import importlib.metadata as m; print(m.version(${JSON.stringify(peer.distribution)}))`],
    { encoding: "utf8", timeout: PROBE_TIMEOUT_MS },
  );
  if (probe.status !== 0) return { ...found, missing: `.venv/${peer.name} lacks ${peer.distribution}` };
  const version = probe.stdout.trim();
  if (version !== peer.version)
    return { ...found, missing: `.venv/${peer.name} has ${peer.distribution} ${version}, not ${peer.version}` };
  return { ...found, missing: null };
}

/** First Python 3.10 or newer on the path, or null. */
function findPython() {
  for (const candidate of ["python3", "python", "python3.12", "python3.11", "python3.10"]) {
    const probe = spawnSync(candidate, ["-c", "import sys; print(sys.version_info >= (3, 10))"], {
      encoding: "utf8",
      timeout: PROBE_TIMEOUT_MS,
    });
    if (probe.status === 0 && probe.stdout.trim() === "True") return candidate;
  }
  return null;
}

function install(peer, basePython) {
  const folder = folderOf(peer);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  const options = { stdio: ["ignore", "ignore", "inherit"], timeout: INSTALL_TIMEOUT_MS };
  execFileSync(basePython, ["-m", "venv", folder], options);
  execFileSync(
    join(folder, binFolder, "python"),
    ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", `${peer.distribution}==${peer.version}`],
    options,
  );
}

function main(args) {
  const unknown = args.find((arg) => !FLAGS.includes(arg));
  if (unknown !== undefined || args.includes("--help")) {
    console.error(
      `${unknown === undefined ? "" : `python-peers: unknown flag ${unknown}. `}Usage: node scripts/python-peers.mjs [--install] [--json]`,
    );
    return unknown === undefined ? 0 : 2;
  }
  if (args.includes("--install")) {
    const absent = PEERS.filter((peer) => findPeer(peer).missing !== null);
    const python = absent.length === 0 ? null : findPython();
    if (absent.length > 0 && python === null) {
      console.error("python-peers: no Python 3.10 or newer on the path; the official OpenEnv tests will be skipped.");
      return 1;
    }
    for (const peer of absent) {
      console.error(`python-peers: installing ${peer.distribution} ${peer.version} into .venv/${peer.name} ...`);
      try {
        install(peer, python);
      } catch (error) {
        console.error(`python-peers: ${peer.distribution} ${peer.version} could not be installed: ${error.message}`);
        return 1;
      }
    }
  }
  const peers = PEERS.map(findPeer);
  if (args.includes("--json")) console.log(JSON.stringify(peers));
  else
    for (const peer of peers)
      console.log(`${peer.distribution} ${peer.version}: ${peer.missing ?? `ready in .venv/${peer.name}`}`);
  return peers.every((peer) => peer.missing === null) ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
