import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, realpath, rm } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join, resolve, sep } from "node:path";
import type { ToolReply } from "../engine/journal.ts";
import type { Tool } from "../tools/tool.ts";

/** Settings of the filesystem tool. */
export interface FilesystemSettings {
  /** Folder outside of which nothing is reached. */
  readonly root: string;
  readonly allow: readonly string[];
  /** Allowed endings; undefined allows all, "" allows names without one. */
  readonly extensions: readonly string[] | undefined;
  readonly maxBytes: number;
  readonly approval: Tool["approval"];
}

type Operation = "read" | "write" | "list" | "exists" | "delete";

/** Reads and writes files inside one folder. */
export function makeFilesystemTool(settings: FilesystemSettings): Tool {
  return {
    name: "filesystem",
    description: `Works with files in a folder. Allowed operations: ${settings.allow.join(", ")}. Paths are relative to the folder.`,
    inputSchema: {
      type: "object",
      properties: {
        operation: { enum: [...settings.allow] },
        path: { type: "string", maxLength: 1_000 },
        content: { type: "string" },
      },
      required: ["operation", "path"],
      additionalProperties: false,
    },
    approval: settings.approval,
    idempotent: false,
    async execute(input) {
      const { operation, path, content } = input as {
        readonly operation: Operation;
        readonly path: string;
        readonly content?: string;
      };
      if (!settings.allow.includes(operation))
        return deny(`The operation '${operation}' is not allowed; allowed: ${settings.allow.join(", ")}.`);
      const checked = await checkPath(settings, operation, path);
      if ("fault" in checked) return deny(checked.fault);
      try {
        return await perform(settings, operation, checked.path, content);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "ENOENT") return deny(`'${path}' does not exist.`);
        if (code === "ELOOP") return deny(`'${path}' is a link, which is not followed.`);
        return deny(`'${path}' can't be used: ${code ?? "unknown error"}.`);
      }
    },
  };
}

function deny(content: string): ToolReply {
  return { ok: false, content };
}

/**
 * The real path of `path` inside the folder. The nearest existing ancestor is resolved first, so that neither `..`, nor a
 * link anywhere on the way, nor a sibling folder whose name begins alike leads outside.
 */
async function checkPath(
  settings: FilesystemSettings,
  operation: Operation,
  path: string,
): Promise<{ readonly path: string } | { readonly fault: string }> {
  const outside = { fault: `'${path.replaceAll("\0", "\\0")}' is outside the allowed folder.` };
  if (path.includes("\0")) return outside;
  if (isAbsolute(path) || /^[A-Za-z]:|^[\\/]{2}|^~/.test(path)) return outside;
  // Backslashes separate folders elsewhere: as parts of names they only serve to mislead.
  if (path.includes("\\")) return outside;
  let root: string;
  try {
    root = await realpath(settings.root);
  } catch {
    return { fault: "The tool's folder does not exist." };
  }
  const wanted = resolve(root, path);
  if (wanted !== root && !wanted.startsWith(root + sep)) return outside;
  const real = await resolveExisting(wanted);
  if (real !== root && !real.startsWith(root + sep)) return outside;
  if (real === root && operation !== "list" && operation !== "exists")
    return { fault: "The folder itself can't be read, written or deleted." };
  if ((operation === "read" || operation === "write" || operation === "delete") && settings.extensions !== undefined) {
    const ending = extname(basename(real));
    if (!settings.extensions.includes(ending))
      return {
        fault: `Files ending in '${ending}' are not allowed; allowed: ${settings.extensions.map((allowed) => `'${allowed}'`).join(", ")}.`,
      };
  }
  return { path: real };
}

async function resolveExisting(path: string): Promise<string> {
  const rest: string[] = [];
  for (let here = path; ; here = dirname(here)) {
    try {
      return join(await realpath(here), ...rest);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
      // A link whose target is missing would be followed when the file is made.
      const isLink = await lstat(here).then(
        (info) => info.isSymbolicLink(),
        () => false,
      );
      if (isLink) return sep;
      rest.unshift(basename(here));
    }
  }
}

async function perform(
  settings: FilesystemSettings,
  operation: Operation,
  path: string,
  content: string | undefined,
): Promise<ToolReply> {
  switch (operation) {
    case "exists": {
      const info = await lstat(path).catch(() => undefined);
      return { ok: true, content: info === undefined ? "no" : info.isDirectory() ? "yes, a folder" : "yes, a file" };
    }
    case "list": {
      const entries = await readdir(path, { withFileTypes: true });
      const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`).sort();
      return { ok: true, content: names.slice(0, 1_000).join("\n") || "(empty)" };
    }
    case "read": {
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
      try {
        const info = await file.stat();
        if (info.isDirectory()) return deny("This is a folder; use 'list'.");
        if (!info.isFile()) return deny("This is no ordinary file.");
        if (info.size > settings.maxBytes)
          return deny(`The file has ${info.size} bytes; ${settings.maxBytes} are allowed.`);
        return { ok: true, content: await file.readFile("utf8") };
      } finally {
        await file.close();
      }
    }
    case "write": {
      const text = content ?? "";
      const bytes = Buffer.byteLength(text);
      if (bytes > settings.maxBytes) return deny(`The content has ${bytes} bytes; ${settings.maxBytes} are allowed.`);
      await mkdir(dirname(path), { recursive: true });
      const file = await open(
        path,
        constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
        0o644,
      );
      try {
        await file.writeFile(text);
      } finally {
        await file.close();
      }
      return { ok: true, content: `${bytes} bytes written.` };
    }
    case "delete": {
      const info = await lstat(path);
      if (info.isDirectory()) return deny("Folders are not deleted.");
      await rm(path);
      return { ok: true, content: "Deleted." };
    }
  }
}
