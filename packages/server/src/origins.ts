import { PraxisError } from "@praxis/env";

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Where a server listens and which pages of other hosts it trusts. */
export interface OriginRules {
  readonly host: string;
  readonly cors: readonly string[];
}

const hostnameOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : "");

/**
 * Refuses requests of foreign web pages to `/mcp`, as MCP asks: a page on another site, or one whose name was pointed at this
 * machine (DNS rebinding), must not drive tools. Programs send no Origin and pass. Throws FORBIDDEN.
 */
export function checkMcpOrigin(rules: OriginRules, origin: string | undefined, hostHeader: string | undefined): void {
  if (origin === undefined || rules.cors.includes("*") || rules.cors.includes(origin)) return;
  const from = hostnameOf(origin);
  if (LOOPBACK.includes(from)) return;
  const isOnLoopback = LOOPBACK.includes(rules.host) || rules.host === "::1";
  if (!isOnLoopback && from !== "" && from === hostnameOf(`http://${hostHeader ?? ""}`)) return;
  throw new PraxisError("FORBIDDEN", `Pages of ${origin} may not use /mcp. Allow them with --cors.`);
}
