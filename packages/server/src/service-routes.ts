import type { Hono } from "hono";
import type { MountedContext } from "./context.ts";

/** Adds the environment's own services under its prefix. */
export function addServiceRoutes(app: Hono, { definition }: MountedContext): void {
  for (const service of definition.services ?? [])
    app.on(service.method, service.path, async (c) =>
      c.json(await service.call(service.method === "GET" ? "" : await c.req.text())),
    );
}
