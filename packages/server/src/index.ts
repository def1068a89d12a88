export { type Clock, systemClock } from "./clock.ts";
export { type Served, serve } from "./cluster.ts";
export type { ServerOptions } from "./options.ts";
export { createServer, type PraxisServer } from "./server.ts";
export type { Role, RoleTokens } from "./tokens.ts";
