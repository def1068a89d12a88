import { PraxisError } from "../errors.ts";
import { errorFromHttp } from "./remote-error.ts";

/** What every HTTP call to one server needs. */
export interface HttpOptions {
  /** Base address, no slash at the end. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
}

/**
 * Calls `path` and returns the parsed JSON of a 2xx reply. Without a `body` it is a GET, else a POST; text is sent as it is,
 * anything else as JSON. Throws the error of the
 * reply, CLIENT_TIMEOUT, or CONNECTION_LOST when nobody answers or the answer is not JSON.
 */
export async function requestJson(http: HttpOptions, path: string, body?: unknown): Promise<unknown> {
  const url = `${http.base}${path}`;
  let status: number;
  let isOk: boolean;
  let text: string;
  try {
    const response = await http.fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers: body === undefined ? http.headers : { ...http.headers, "content-type": "application/json" },
      signal: AbortSignal.timeout(http.timeoutMs),
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    status = response.status;
    isOk = response.ok;
    text = await response.text();
  } catch (cause) {
    if (cause instanceof Error && cause.name === "TimeoutError")
      throw new PraxisError("CLIENT_TIMEOUT", `${url} did not answer within ${http.timeoutMs} ms.`, { cause });
    throw new PraxisError("CONNECTION_LOST", `${url} could not be reached. Is the server running there?`, { cause });
  }
  const parsed = parseOrUndefined(text);
  if (!isOk) throw errorFromHttp(status, parsed, url);
  if (parsed === undefined)
    throw new PraxisError(
      "CONNECTION_LOST",
      `${url} answered ${status} with text that is not JSON: ${text.slice(0, 60)}`,
    );
  return parsed;
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
