import { type EnvDefinition, PraxisError, toPraxisError } from "@praxis/env";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import type { Registry } from "prom-client";
import type { MountedContext } from "./context.ts";
import { addControlRoutes } from "./control-routes.ts";
import { addEpisodeRoutes } from "./episode-routes.ts";
import { errorBody } from "./error-body.ts";
import type { Forwarder } from "./forward.ts";
import { addInfoRoutes } from "./info-routes.ts";
import { mountMcp } from "./mcp/index.ts";
import { addMetricsRoute } from "./metrics.ts";
import { findMount } from "./mounts.ts";
import type { ResolvedOptions } from "./options.ts";
import { checkMcpOrigin } from "./origins.ts";
import { Page } from "./page.ts";
import type { RecentEpisodes } from "./recent-episodes.ts";
import { RouteTable } from "./route-table.ts";
import { addServiceRoutes } from "./service-routes.ts";
import type { SessionStore } from "./sessions.ts";
import { addTaskRoutes } from "./task-routes.ts";
import type { DoorKeeper } from "./tokens.ts";
import type { WebPlay } from "./web-play.ts";
import { addWebRoutes } from "./web-routes.ts";

/** What the HTTP side of a server is made of. */
export interface AppParts {
  readonly options: ResolvedOptions;
  readonly mounts: ReadonlyMap<string, MountedContext>;
  readonly plays: ReadonlyMap<string, WebPlay>;
  readonly sessions: SessionStore;
  readonly keeper: DoorKeeper;
  readonly metrics: Registry;
  readonly recent: RecentEpisodes;
  /** Null when there is one process only. */
  readonly forwarder: Forwarder | null;
}

/** What a Praxis server can do beyond OpenEnv; clients use none of it before they have read it in `/health`. */
const FEATURES = { request_id: true, resume: true, timeout_s: true } as const;
const RETRY_AFTER_SECONDS = "1";

/** Makes all HTTP routes of a server. */
export function makeApp(parts: AppParts): Hono {
  const { options, mounts, sessions, keeper, plays, metrics } = parts;
  const app = new Hono();
  const routes = new RouteTable();
  const page = options.page === false ? null : new Page(options.page);

  app.onError((error, c) => failure(c, error, options));
  app.notFound((c) => routes.missing(c));
  if (options.cors.length > 0)
    app.use(
      cors({
        origin: options.cors.includes("*") ? "*" : [...options.cors],
        allowMethods: ["GET", "POST", "DELETE", "OPTIONS"],
        exposeHeaders: ["x-session-id", "mcp-session-id", "retry-after"],
      }),
    );
  app.use(async (c, next) => {
    const { door, mount } = findMount(mounts, c.req.path);
    if (page !== null && (c.req.method === "GET" || c.req.method === "HEAD")) {
      const reply = pageAt(page, c, door, mount?.prefix ?? "");
      if (reply !== null) return reply;
    }
    if (c.req.method === "HEAD") return routes.refuse(c, "GET");
    if (door === "/mcp") checkMcpOrigin(options, c.req.header("origin"), c.req.header("host"));
    keeper.check(door, c.req.header("authorization"), c.req.query("access_token") ?? null);
    return next();
  });
  app.use(
    bodyLimit({
      maxSize: options.maxMessageBytes,
      onError: (c) =>
        failure(
          c,
          new PraxisError("MESSAGE_TOO_LARGE", `The body is above ${options.maxMessageBytes} bytes. Send less.`),
          options,
        ),
    }),
  );

  if (parts.forwarder !== null) {
    const { forwarder } = parts;
    app.use(async (c, next) => (await forwarder.http(c)) ?? next());
  }

  addMetricsRoute(app, metrics, parts.forwarder);
  const health = (c: Context): Response =>
    c.json({
      status: "healthy",
      active_sessions: sessions.active,
      max_sessions: sessions.maxSessions,
      mode: options.mode,
      praxis: FEATURES,
    });
  app.get("/health", health);
  addTaskRoutes(app, rootFirst(options.registry.list(), mounts.get("")?.definition));
  if (options.mode === "simulation") addEpisodeRoutes(app, parts.recent, parts.forwarder, null);
  addServiceRoutes(app, options.services);
  for (const [prefix, context] of mounts) {
    const mounted = new Hono();
    mounted.get("/health", health);
    if (prefix !== "") addTaskRoutes(mounted, [context.definition]);
    addInfoRoutes(mounted, context, page !== null);
    if (context.mode === "simulation") {
      addControlRoutes(mounted, context);
      if (prefix !== "") addEpisodeRoutes(mounted, parts.recent, parts.forwarder, context.definition.name);
    }
    addWebRoutes(mounted, context, plays.get(prefix)!);
    mountMcp(mounted, context);
    addServiceRoutes(mounted, context.definition.services ?? []);
    app.route(prefix === "" ? "/" : prefix, mounted);
  }
  routes.learn(app);
  return app;
}

/** The environment at the root names itself first, as a server of one environment would. */
function rootFirst(definitions: readonly EnvDefinition[], root: EnvDefinition | undefined): readonly EnvDefinition[] {
  return root === undefined ? definitions : [root, ...definitions.filter((other) => other !== root)];
}

function pageAt(page: Page, c: Context, door: string, prefix: string): Response | null {
  // A relative redirect from `/name` would leave the prefix.
  if (door === "/" && prefix !== "" && !c.req.path.endsWith("/")) return c.redirect(`${prefix}/web/`, 307);
  return page.respond(door, c.req.header("accept-encoding"));
}

function failure(c: Context, error: unknown, options: ResolvedOptions): Response {
  if (!(error instanceof PraxisError)) {
    options.logger.error({ err: error }, "a request could not be handled");
    return c.json({ detail: "Internal Server Error", code: "ENVIRONMENT_ERROR" }, 500);
  }
  const known = toPraxisError(error);
  const { status } = known.row;
  if (status === 503) c.header("retry-after", RETRY_AFTER_SECONDS);
  if (status === 401) c.header("www-authenticate", "Bearer");
  return new Response(JSON.stringify(errorBody(known)), {
    status,
    headers: { ...Object.fromEntries(c.res.headers), "content-type": "application/json" },
  });
}
