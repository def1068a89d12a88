import { PraxisError } from "@praxis/env";
import type { Hono } from "hono";
import { isRecord, notAnObject } from "./action.ts";
import type { MountedContext } from "./context.ts";
import { jsonText } from "./control-routes.ts";
import { readObject } from "./http-request.ts";
import { metadataDocument } from "./schema-document.ts";
import { type WebPlay, webAction } from "./web-play.ts";

/** Adds the routes of the page: its metadata and, in simulation, reset, step and state of its own environment. */
export function addWebRoutes(app: Hono, context: MountedContext, play: WebPlay): void {
  const metadata = metadataDocument(context.definition);
  app.get("/web/metadata", (c) => c.json(metadata));
  if (context.mode !== "simulation") return;

  app.post("/web/reset", async (c) => jsonText(c, JSON.stringify(await play.reset(await readObject(c, {})))));

  app.post("/web/step", async (c) => {
    const body = await readObject(c);
    const action = webAction(body);
    if (!isRecord(action)) throw notAnObject(action, ["body", "action"], body);
    return jsonText(c, JSON.stringify(await play.step(action)));
  });

  app.get("/web/state", async (c) => {
    try {
      return jsonText(c, (await play.state()).json);
    } catch (error) {
      if (error instanceof PraxisError && error.code === "RESET_NEEDED") return c.json({ detail: error.message }, 409);
      throw error;
    }
  });
}
