import { createHash, timingSafeEqual } from "node:crypto";
import { PraxisError } from "@praxis/env";

/** Who calls: the trainer may do everything, an agent uses tools, a viewer looks on. */
export type Role = "trainer" | "agent" | "viewer";

/** Bearer tokens by role. */
export type RoleTokens = { readonly [R in Role]?: readonly string[] | undefined };

const EVERYONE: readonly Role[] = ["trainer", "agent", "viewer"];
const ONLY_TRAINER: readonly Role[] = ["trainer"];

/** Doors by the path after an environment's prefix; what is not listed is the trainer's. `null`: no token needed. */
const DOORS: Readonly<Record<string, readonly Role[] | null>> = {
  "/health": null,
  "/metadata": EVERYONE,
  "/schema": EVERYONE,
  "/mcp": ["trainer", "agent"],
  "/openapi.json": ["trainer", "viewer"],
  "/docs": ["trainer", "viewer"],
  "/redoc": ["trainer", "viewer"],
  "/list_environments": ["trainer", "viewer"],
  "/metrics": ["trainer", "viewer"],
  "/episodes": ["trainer", "viewer"],
  "/web/metadata": ["trainer", "viewer"],
  "/web/state": ["trainer", "viewer"],
  "/ws/ui": ["trainer", "viewer"],
};

const digest = (token: string): Buffer => createHash("sha256").update(token).digest();

/** Decides by token who may pass which door. Without any token configured every door is open, as in OpenEnv; the page itself holds no data and is open always. */
export class DoorKeeper {
  readonly #tokens: readonly { readonly role: Role; readonly digest: Buffer }[];

  constructor(tokens: RoleTokens = {}) {
    this.#tokens = EVERYONE.flatMap((role) => (tokens[role] ?? []).map((token) => ({ role, digest: digest(token) })));
  }

  /**
   * Throws UNAUTHORIZED without a known token, FORBIDDEN when its role may not use the door.
   * @param door path after the prefix @param authorization that header @param queryToken `access_token` of the query, for
   * sockets of pages, which can't send headers
   */
  check(door: string, authorization: string | undefined, queryToken: string | null): void {
    if (this.#tokens.length === 0) return;
    const roles = Object.hasOwn(DOORS, door) ? DOORS[door]! : ONLY_TRAINER;
    if (roles === null) return;
    const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? queryToken;
    if (given === null || given === undefined)
      throw new PraxisError("UNAUTHORIZED", "A token is needed. Send Authorization: Bearer TOKEN.");
    const wanted = digest(given);
    // All are compared, so that the time tells nothing.
    const held = this.#tokens.filter((token) => timingSafeEqual(token.digest, wanted)).map((token) => token.role);
    if (held.length === 0) throw new PraxisError("UNAUTHORIZED", "The token is not known.");
    if (!held.some((role) => roles.includes(role)))
      throw new PraxisError("FORBIDDEN", `The role ${held.join(", ")} may not use ${door}.`);
  }
}
