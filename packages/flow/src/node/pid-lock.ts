import { readFileSync, rmSync, writeFileSync } from "node:fs";

/** Takes a lock file that names this process. False while another living process, or this one, holds it. */
export function takeLock(path: string): boolean {
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx" });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (!isAbandoned(path)) return false;
      rmSync(path, { force: true });
    }
  }
}

/** Gives a lock back. */
export function dropLock(path: string): void {
  rmSync(path, { force: true });
}

/** Number of the process that holds a lock, as written in it. */
export function lockOwner(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function isAbandoned(path: string): boolean {
  const text = lockOwner(path);
  // The owner may not have written its number yet.
  if (text === "" || Number(text) === process.pid) return false;
  try {
    process.kill(Number(text), 0);
    return false;
  } catch (error) {
    // Somebody else's process can't be asked, but it is there.
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
