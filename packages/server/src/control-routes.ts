import { PraxisError, type WireStep } from "@praxis/env";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { isRecord, notAnObject } from "./action.ts";
import type { MountedContext } from "./context.ts";
import { errorBody } from "./error-body.ts";
import { readObject } from "./http-request.ts";
import { parseLax } from "./lax-parse.ts";
import { isToolStep, toolStep } from "./mcp/index.ts";
import { resetEnvelope } from "./reset-keywords.ts";
import type { Session } from "./session.ts";
import { parseTimeout } from "./timeout.ts";

const SESSION_HEADER = "x-session-id";
const NEW_SESSION = "new";

/** The envelope of step, without the action: its own errors are of another shape. */
const stepEnvelope = z.looseObject({
  timeout_s: z.number().gt(0).nullish(),
  request_id: z.string().max(255).nullish(),
});

/** JSON text as OpenEnv's HTTP routes answer it: `metadata` is always there, null when empty. */
function httpStepText(wire: WireStep): string {
  return JSON.stringify({
    observation: wire.observation,
    reward: wire.reward,
    done: wire.done,
    metadata: wire.metadata ?? null,
  });
}

/** A JSON reply of text that is JSON already. */
export function jsonText(c: Context, text: string): Response {
  return c.body(text, 200, { "content-type": "application/json" });
}

/**
 * Adds `/reset`, `/step` and `/state`. As in OpenEnv each call has a fresh environment, unless the caller names a session in
 * the header `X-Session-Id` or the field `session_id`: its id, or `new`, which opens one. The reply's header names it.
 */
export function addControlRoutes(app: Hono, context: MountedContext): void {
  const { definition, sessions } = context;

  /** Runs `act` on the session that the request means; a session that was opened for a failed call does not stay. */
  async function withSession(
    c: Context,
    given: unknown,
    act: (session: Session) => Promise<string>,
  ): Promise<Response> {
    const named = c.req.header(SESSION_HEADER) ?? given;
    if (named === undefined || named === null) {
      const session = sessions.temporary(definition);
      try {
        return jsonText(c, await act(session));
      } finally {
        session.close();
      }
    }
    if (typeof named !== "string" || named === "")
      return c.json(errorBody(new PraxisError("VALIDATION_ERROR", "The session id is missing or no text.")), 400);
    const isNew = named === NEW_SESSION;
    const session = isNew ? sessions.open(definition, "http") : sessions.get(named, definition);
    try {
      const text = await act(session);
      c.header(SESSION_HEADER, session.id);
      return jsonText(c, text);
    } catch (error) {
      if (isNew) session.close();
      throw error;
    }
  }

  app.post("/reset", async (c) => {
    const body = await readObject(c, {});
    parseLax(resetEnvelope, body, ["body"]);
    const { request, warnings } = context.parseReset(body, ["body"]);
    return withSession(c, body.session_id, async (session) =>
      httpStepText((await session.reset(request, warnings)).wire),
    );
  });

  app.post("/step", async (c) => {
    const body = await readObject(c);
    if (!isRecord(body.action)) throw notAnObject(body.action, ["body", "action"], body);
    parseLax(stepEnvelope, body, ["body"]);
    const timeoutMs = parseTimeout(body.timeout_s ?? null, ["body", "timeout_s"]);
    const action = body.action;
    if (isToolStep(action, context))
      return withSession(c, body.session_id, async (session) =>
        httpStepText(await toolStep(action, context, session, timeoutMs)),
      );
    let parsed: unknown;
    try {
      parsed = context.parseAction(action);
    } catch (error) {
      // Errors of the action are relative to it and carry a link; those of the envelope do neither.
      if (error instanceof PraxisError && error.code === "VALIDATION_ERROR") return c.json(errorBody(error, true), 422);
      throw error;
    }
    return withSession(c, body.session_id, async (session) =>
      httpStepText((await session.step(parsed, timeoutMs)).wire),
    );
  });

  app.get("/state", (c) => withSession(c, c.req.query("session_id"), async (session) => (await session.state()).json));

  app.delete("/sessions/:id", (c) => {
    const id = c.req.param("id");
    const closed = sessions.requestClose(id, definition) === "closed";
    return c.json({ session_id: id, closed, ...(closed ? {} : { closing: true }) });
  });
}
