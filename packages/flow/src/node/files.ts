import { closeSync, openSync, readSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, resolve } from "node:path";
import type { FileReading, FlowFiles, MemoryHead } from "../config/sources.ts";

const MAX_BYTES = 1_048_576;

/** Flow files on disk; paths stay relative where they were given so. */
export const diskFiles: FlowFiles = {
  resolve: (file, name) => (isAbsolute(name) ? normalize(name) : join(dirname(file), name)),
  memoryHead: (file, folder, namespace) => readMemoryHead(join(resolve(dirname(file), folder), `${namespace}.jsonl`)),
  async read(file): Promise<FileReading> {
    try {
      const info = await stat(file);
      if (info.isDirectory()) return { kind: "folder" };
      if (info.size > MAX_BYTES)
        return { kind: "unreadable", reason: `it has ${info.size} bytes; ${MAX_BYTES} are allowed.` };
      const bytes = await readFile(file);
      try {
        return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
      } catch {
        return { kind: "unreadable", reason: "it is not UTF-8 text." };
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing", siblings: await siblings(file) };
      return {
        kind: "unreadable",
        reason: code === "EACCES" ? "permission is denied." : `${code ?? "unknown error"}.`,
      };
    }
  },
};

/** Longest first line that is looked at; what a store writes there has some 100 bytes. */
const HEAD_BYTES = 1_024;

/** What a local store wrote into its first line; undefined where there is no store. */
function readMemoryHead(path: string): MemoryHead | undefined {
  try {
    const handle = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(HEAD_BYTES);
      const line = bytes.toString("utf8", 0, readSync(handle, bytes, 0, HEAD_BYTES, 0)).split("\n")[0]!;
      const { embedder, dimension } = JSON.parse(line) as Partial<MemoryHead>;
      return embedder === undefined || dimension === undefined ? undefined : { embedder, dimension };
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
}

async function siblings(file: string): Promise<readonly string[]> {
  try {
    return (await readdir(dirname(file))).sort();
  } catch {
    return [];
  }
}
