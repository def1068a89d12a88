import { CallError } from "./socket.js";

/** The page lies at `…/web/`; the server's routes begin one folder above. */
export const base = new URL("../", document.baseURI);
/** Kept in this tab only. */
let token = "";

export function setToken(text) {
  token = text;
}

/** What every request is sent with. */
export const headers = () => ({
  accept: "application/json",
  ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
});

/** The JSON at `url`. Throws a CallError for a reply that is no success. */
export async function getJson(url) {
  const response = await fetch(url, { headers: headers() });
  if (!response.ok) throw new CallError(`HTTP ${response.status}`, `${url.pathname} answered ${response.status}.`);
  return response.json();
}

/** The address of an environment's sockets. A page can't send headers with a handshake, so the token is in the query. */
export function socketUrl(root) {
  const url = new URL("ws", root);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  if (token !== "") url.searchParams.set("access_token", token);
  return url;
}

/** Metadata and health of each of the server's environments, and the folder of its routes as `root`. */
export async function readList() {
  const names = await getJson(new URL("list_environments", base));
  const describe = async (name, path) => {
    const root = new URL(path === "" ? "./" : `${path}/`, base);
    const [metadata, health] = await Promise.all(["metadata", "health"].map((door) => getJson(new URL(door, root))));
    return { ...metadata, ...health, name, root };
  };
  // A single environment is served where the page is.
  return Promise.all(names.map((name) => describe(name, names.length === 1 ? "" : encodeURIComponent(name))));
}
