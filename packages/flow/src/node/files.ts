import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize } from "node:path";
import type { FileReading, FlowFiles } from "../config/sources.ts";

const MAX_BYTES = 1_048_576;

/** Flow files on disk; paths stay relative where they were given so. */
export const diskFiles: FlowFiles = {
  resolve: (file, name) => (isAbsolute(name) ? normalize(name) : join(dirname(file), name)),
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

async function siblings(file: string): Promise<readonly string[]> {
  try {
    return (await readdir(dirname(file))).sort();
  } catch {
    return [];
  }
}
