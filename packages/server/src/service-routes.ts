import type { EnvService } from "@praxis/env";
import type { Hono } from "hono";

/** Adds services: an environment's own under its prefix, or those of the whole server at the root. */
export function addServiceRoutes(app: Hono, services: readonly EnvService[]): void {
  for (const service of services)
    app.on(service.method, service.path, async (c) =>
      c.json(await service.call(service.method === "GET" ? "" : await c.req.text())),
    );
}
