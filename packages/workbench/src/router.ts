import { useSyncExternalStore } from "react";

/** A page of the workbench, as the address after `#` names it. */
export type Route =
  | { readonly page: "home" }
  | { readonly page: "play"; readonly env: string; readonly url: string | null; readonly isTour: boolean }
  | { readonly page: "review" }
  | { readonly page: "flow"; readonly run: string | null };

/** Reads `#/play/polyguard?url=…`; an unknown address is the home page. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [page, rest] = [path.split("/")[0], path.split("/").slice(1).map(decoded).join("/")];
  const parameters = new URLSearchParams(query);
  if (page === "play") return { page, env: rest, url: parameters.get("url"), isTour: parameters.get("tour") !== null };
  if (page === "review") return { page };
  if (page === "flow") return { page, run: rest === "" ? null : rest };
  return { page: "home" };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Address of the page that plays an environment of this server, or of another one. */
export function playAddress(env: string, url: string | null = null): string {
  return `#/play/${encodeURIComponent(env)}${url === null ? "" : `?url=${encodeURIComponent(url)}`}`;
}

const subscribe = (listener: () => void): (() => void) => {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
};

/** The present address after `#`, kept up to date. */
export function useHash(): string {
  return useSyncExternalStore(subscribe, () => location.hash);
}
