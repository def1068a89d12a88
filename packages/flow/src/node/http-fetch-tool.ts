import { lookup } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { ToolReply } from "../engine/journal.ts";
import type { Tool } from "../tools/tool.ts";
import { isPrivateAddress } from "./private-address.ts";

/** Settings of the fetch tool. */
export interface FetchSettings {
  /** Allowed hosts; `*.example.org` allows those below it. Nothing is allowed by default. */
  readonly hosts: readonly string[];
  /** Private addresses or host names that may be reached. */
  readonly allowPrivate: readonly string[];
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly approval: Tool["approval"];
}

const MAX_REDIRECTS = 5;

/** Gets web pages of allowed hosts. The address that a name resolves to is checked for the very connection that is made. */
export function makeFetchTool(settings: FetchSettings): Tool {
  return {
    name: "http_fetch",
    description: `Gets a web page or JSON document by its URL (GET). Allowed hosts: ${settings.hosts.join(", ") || "none"}.`,
    inputSchema: {
      type: "object",
      properties: { url: { type: "string", maxLength: 4_000 } },
      required: ["url"],
      additionalProperties: false,
    },
    approval: settings.approval,
    idempotent: true,
    async execute(input, { signal }) {
      let url = (input as { readonly url: string }).url;
      for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
        const checked = checkUrl(settings, url);
        if (typeof checked === "string") return { ok: false, content: checked };
        const reply = await get(settings, checked, signal);
        if (!("redirect" in reply)) return reply;
        // Each address on the way is held to the same rules.
        const next = safeUrl(reply.redirect, checked);
        if (next === undefined)
          return { ok: false, content: `The redirect to '${reply.redirect.slice(0, 200)}' is not a URL.` };
        url = next.href;
      }
      return { ok: false, content: `More than ${MAX_REDIRECTS} redirects.` };
    },
  };
}

function safeUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function checkUrl(settings: FetchSettings, text: string): URL | string {
  const url = safeUrl(text);
  if (url === undefined) return `'${text.slice(0, 200)}' is not a URL.`;
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `Only http and https are allowed, not '${url.protocol}'.`;
  if (url.username !== "" || url.password !== "") return "A URL with a name or password in it is not allowed.";
  const host = url.hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (!settings.hosts.some((allowed) => hostFits(host, allowed.toLowerCase())))
    return `The host '${host}' is not allowed; allowed: ${settings.hosts.join(", ") || "none"}.`;
  if (isIP(host) !== 0 && isPrivateAddress(host) && !settings.allowPrivate.includes(host))
    return `The address '${host}' is private.`;
  return url;
}

function hostFits(host: string, allowed: string): boolean {
  if (allowed === "*") return true;
  return allowed.startsWith("*.") ? host.endsWith(allowed.slice(1)) : host === allowed;
}

function get(
  settings: FetchSettings,
  url: URL,
  signal: AbortSignal,
): Promise<ToolReply | { readonly redirect: string }> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const mayBePrivate = settings.allowPrivate.includes(host);
  const guarded: LookupFunction = (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, "", 0);
        return;
      }
      // A name may change its address between a check and the connection: the check is part of connecting.
      const bad = addresses.find(
        (entry) => isPrivateAddress(entry.address) && !mayBePrivate && !settings.allowPrivate.includes(entry.address),
      );
      if (bad !== undefined || addresses.length === 0) {
        callback(
          Object.assign(new Error(`The host '${name}' leads to the private address ${bad?.address ?? "?"}.`), {
            code: "PRIVATE",
          }),
          "",
          0,
        );
        return;
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request = send(
      url,
      {
        method: "GET",
        lookup: guarded,
        signal,
        timeout: settings.timeoutMs,
        headers: { "user-agent": "praxis-flow", accept: "text/*, application/json;q=0.9, */*;q=0.1" },
        agent: false,
      },
      (response) => {
        const { statusCode = 0, headers } = response;
        if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
          response.destroy();
          resolve({ redirect: headers.location });
          return;
        }
        readBody(response, settings.maxBytes).then(
          (body) =>
            resolve(
              statusCode >= 400
                ? { ok: false, content: `${url.host} answered ${statusCode}: ${body.slice(0, 500)}` }
                : { ok: true, content: body },
            ),
          (error: Error) => resolve({ ok: false, content: error.message }),
        );
      },
    );
    const timer = setTimeout(
      () => request.destroy(new Error(`No answer within ${settings.timeoutMs} ms.`)),
      settings.timeoutMs,
    );
    request.on("close", () => clearTimeout(timer));
    request.on("timeout", () => request.destroy(new Error(`No answer within ${settings.timeoutMs} ms.`)));
    request.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "PRIVATE") resolve({ ok: false, content: error.message });
      else if (signal.aborted) reject(error);
      else resolve({ ok: false, content: `${url.host} can't be reached: ${error.message}` });
    });
    request.end();
  });
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<string> {
  const type = String(response.headers["content-type"] ?? "text/plain");
  if (!/^(?:text\/|application\/(?:[\w.+-]*json|[\w.+-]*xml|javascript))/i.test(type)) {
    response.destroy();
    throw new Error(`The document is of type '${type}', which is no text.`);
  }
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response) {
    size += (part as Buffer).length;
    if (size > maxBytes) {
      response.destroy();
      throw new Error(`The document is larger than ${maxBytes} bytes.`);
    }
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString("utf8");
}
