import { PraxisError } from "../errors.ts";

/** Where a server is: both bases keep the path prefix and end without a slash. */
export interface Address {
  readonly http: string;
  readonly ws: string;
}

/**
 * Reads a base URL as OpenEnv's clients do: http, https, ws and wss are accepted, no scheme means http and ws, a path prefix
 * is kept. Throws INVALID_CONFIG for anything else, and for user names, queries and fragments, which would be lost.
 */
export function parseAddress(baseUrl: string): Address {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(baseUrl) ? baseUrl : `http://${baseUrl}`;
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new PraxisError("INVALID_CONFIG", `'${baseUrl}' is not a base URL; write http://host:8000 or host:8000.`, {
      cause,
    });
  }
  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  if (!isSecure && url.protocol !== "http:" && url.protocol !== "ws:")
    throw new PraxisError("INVALID_CONFIG", `'${baseUrl}' must begin with http, https, ws or wss.`);
  if (url.username !== "" || url.password !== "")
    throw new PraxisError("INVALID_CONFIG", "The base URL holds a user name or password; use `token` or `headers`.");
  if (url.search !== "" || url.hash !== "")
    throw new PraxisError("INVALID_CONFIG", `'${baseUrl}' must not hold a query or fragment; end it at the path.`);
  const rest = `${url.host}${url.pathname.replace(/\/+$/, "")}`;
  return { http: `${isSecure ? "https" : "http"}://${rest}`, ws: `${isSecure ? "wss" : "ws"}://${rest}` };
}
