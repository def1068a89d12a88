import type { MountedContext } from "./context.ts";

/** The mounted environment a path belongs to (null: none) and the rest of the path, its door. */
export interface FoundMount {
  readonly mount: MountedContext | null;
  readonly door: string;
}

/** Finds the mount with the longest prefix of `path`: `/polyguard/ws` is door `/ws` of `/polyguard`. */
export function findMount(mounts: ReadonlyMap<string, MountedContext>, path: string): FoundMount {
  const end = path.indexOf("/", 1);
  if (end > 0) {
    const mount = mounts.get(path.slice(0, end));
    if (mount !== undefined) return { mount, door: path.slice(end) };
  }
  const whole = mounts.get(path);
  if (whole !== undefined) return { mount: whole, door: "/" };
  return { mount: mounts.get("") ?? null, door: path };
}
