import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { brokenDefinition, counterDefinition, echoDefinition, moodyDefinition } from "./envs.ts";
import { call, makeServer, startServer, type TestServer, TestSocket, until } from "./harness.ts";
import { ManualClock } from "./manual-clock.ts";

async function withServer(
  options: Parameters<typeof startServer>,
  run: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await startServer(...options);
  try {
    await run(server);
  } finally {
    await server.close();
  }
}

describe("listening", () => {
  test("a port that is taken is named, with the way out", () =>
    withServer([[counterDefinition]], async ({ url }) => {
      const { port } = new URL(url);
      const second = makeServer([counterDefinition], { port: Number(port) });
      await expect(second.listen()).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        message: expect.stringMatching(new RegExp(`${port}.*in use; choose another port`)),
      });
      await second.close();
    }));
});

describe("opening", () => {
  test("over the limit a socket gets one CAPACITY_REACHED frame and close 1000, and the others go on undisturbed", () =>
    withServer([[counterDefinition], { maxSessions: 2 }], async ({ ws, server }) => {
      const first = await TestSocket.open(`${ws}/ws`);
      const second = await TestSocket.open(`${ws}/mcp`);
      await first.ask({ type: "step", data: { add: 4 } });
      const third = await TestSocket.open(`${ws}/ws`);
      expect(JSON.parse(await third.next())).toEqual({
        type: "error",
        data: {
          message: "Server at capacity: 2/2 sessions active. Cannot accept new connections.",
          code: "CAPACITY_REACHED",
          active_sessions: 2,
          max_sessions: 2,
        },
      });
      expect(await third.closed).toEqual({ code: 1000, reason: "" });
      const http = await call(server, "POST", "/reset", { session_id: "new" });
      expect(http.status).toBe(503);
      expect(http.headers.get("retry-after")).toBe("1");
      expect(http.body).toMatchObject({ code: "CAPACITY_REACHED", active_sessions: 2, max_sessions: 2 });
      expect((await first.ask({ type: "state" })).data).toMatchObject({ step_count: 1, total: 4 });
      expect(second.frames).toEqual([]);
      await first.close();
      await second.close();
    }));

  test("a factory that fails is one FACTORY_ERROR frame that hides the cause, and takes no slot", () =>
    withServer([[brokenDefinition]], async ({ ws, server }) => {
      const socket = await TestSocket.open(`${ws}/ws`);
      expect(JSON.parse(await socket.next())).toEqual({
        type: "error",
        data: {
          message: "Environment factory 'Broken-v0' failed to create instance.",
          code: "FACTORY_ERROR",
          factory_name: "Broken-v0",
        },
      });
      expect((await socket.closed).code).toBe(1000);
      expect(server.sessions.active).toBe(0);
    }));

  test("a path without a socket is refused with 403 in the handshake", () =>
    withServer([[counterDefinition]], async ({ ws }) => {
      await expect(TestSocket.open(`${ws}/nope`)).rejects.toThrow("403");
    }));

  test("environments behind prefixes have sockets of their own; unknown queries are ignored", () =>
    withServer([[counterDefinition, echoDefinition]], async ({ ws }) => {
      const socket = await TestSocket.open(`${ws}/echo/ws?color=red`);
      expect((await socket.ask({ type: "reset" })).data.observation).toMatchObject({ echo: "ready" });
      await socket.close();
    }));

  test("512 sockets opened at once each get an observation or a clear refusal", () =>
    withServer([[counterDefinition], { maxSessions: 300 }], async ({ ws, server }) => {
      const replies = await Promise.all(
        Array.from({ length: 512 }, async (_, i) => {
          const socket = await TestSocket.open(`${ws}/ws`);
          socket.send({ type: "reset", data: { seed: i } });
          const { type, data } = JSON.parse(await socket.next());
          return { socket, outcome: type === "observation" ? "ok" : data.code };
        }),
      );
      const outcomes = replies.map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(300);
      expect(outcomes.filter((outcome) => outcome === "CAPACITY_REACHED")).toHaveLength(212);
      await Promise.all(replies.map(({ socket }) => socket.close()));
      await until(() => server.sessions.active === 0);
    }));

  test("with a list of origins pages of other hosts are refused, programs and own pages are not", () =>
    withServer([[counterDefinition], { cors: ["https://lab.example"] }], async ({ ws, url }) => {
      await expect(TestSocket.open(`${ws}/ws`, { origin: "https://evil.example" })).rejects.toThrow("403");
      for (const headers of [{}, { origin: "https://lab.example" }, { origin: url }])
        await (await TestSocket.open(`${ws}/ws`, headers)).close();
    }));
});

describe("leaving", () => {
  test("a closing handshake in the middle of a step frees the slot at once", () =>
    withServer([[moodyDefinition()], { maxSessions: 1, stepTimeoutMs: 60_000 }], async ({ ws, server }) => {
      const socket = await TestSocket.open(`${ws}/ws`);
      socket.send({ type: "step", data: { mood: "hang" } });
      await until(() => server.sessions.isBusy);
      await socket.close();
      const next = await TestSocket.open(`${ws}/ws`);
      expect((await next.ask({ type: "reset" })).type).toBe("observation");
      await next.close();
    }));

  test("a close frame in the middle of a step frees the slot at once, and the step is still answered", () => {
    let finish = (): void => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const moody = moodyDefinition({ slow: () => slow });
    return withServer([[moody], { maxSessions: 1, stepTimeoutMs: 60_000 }], async ({ ws, server }) => {
      const socket = await TestSocket.open(`${ws}/ws`);
      socket.send({ type: "step", data: { mood: "slow" } });
      socket.send({ type: "close" });
      await until(() => server.sessions.active === 0);
      finish();
      expect(JSON.parse(await socket.next())).toMatchObject({ type: "observation" });
      expect((await socket.closed).code).toBe(1000);
    });
  });

  test("a lost socket frees its slot at once unless the client asked to be able to resume", () =>
    withServer([[counterDefinition], { maxSessions: 1 }], async ({ ws, server }) => {
      const socket = await TestSocket.open(`${ws}/ws`);
      await socket.ask({ type: "reset" });
      socket.socket.terminate();
      await until(() => server.sessions.active === 0);
    }));
});

describe("silence", () => {
  test("sockets whose client is frozen are dropped after the limit and their slots come back", async () => {
    const clock = new ManualClock();
    const server = await startServer([counterDefinition], { maxSessions: 4, clock });
    const port = Number(new URL(server.url).port);
    // Raw sockets that finish the handshake and never answer a ping, as a stopped process would.
    const frozen = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {});
        socket.write(
          "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        );
        await new Promise((resolve) => socket.once("data", resolve));
        return socket;
      }),
    );
    expect(server.server.sessions.active).toBe(4);
    await clock.advance(300_000);
    await until(() => server.server.sessions.active < 4);
    await clock.advance(30_000);
    await until(() => server.server.sessions.active === 0);
    const next = await TestSocket.open(`${server.ws}/ws`);
    expect((await next.ask({ type: "reset" })).type).toBe("observation");
    await next.close();
    for (const socket of frozen) socket.destroy();
    const closing = server.close();
    await clock.advance(2_000);
    await closing;
  });

  test("an idle session's socket is closed with 4408 and the reason, without a frame", async () => {
    const clock = new ManualClock();
    const server = await startServer([counterDefinition], { clock, sessionTimeoutMs: 60_000, pingIntervalMs: null });
    const socket = await TestSocket.open(`${server.ws}/ws`);
    await socket.ask({ type: "reset" });
    await clock.advance(62_000);
    expect(await socket.closed).toEqual({ code: 4408, reason: "The session was idle for 60 seconds." });
    expect(socket.frames).toEqual([]);
    const closing = server.close();
    await clock.advance(2_000);
    await closing;
  });
});

describe("size", () => {
  const MEBIBYTE = 1024 * 1024;

  test("a message below the limit is carried out, one above it closes that socket with 1009, others go on", () =>
    withServer([[echoDefinition], { maxMessageBytes: 4 * MEBIBYTE }], async ({ ws, server }) => {
      const big = await TestSocket.open(`${ws}/ws`);
      const other = await TestSocket.open(`${ws}/ws`);
      const message = "m".repeat(4 * MEBIBYTE - 100);
      expect((await big.ask({ type: "step", data: { message } })).data.observation).toHaveProperty("echo", message);
      big.send({ type: "step", data: { message: "m".repeat(5 * MEBIBYTE) } });
      expect((await big.closed).code).toBe(1009);
      expect((await other.ask({ type: "step", data: { message: "x" } })).type).toBe("observation");
      await other.close();
      const refused = await call(server, "POST", "/step", { action: { message: "m".repeat(5 * MEBIBYTE) } });
      expect(refused).toMatchObject({ status: 413, body: { code: "MESSAGE_TOO_LARGE" } });
    }));

  test("99 MB are accepted by default and 101 MiB refused", () =>
    withServer([[echoDefinition]], async ({ ws }) => {
      const socket = await TestSocket.open(`${ws}/ws`);
      const message = "m".repeat(99_000_000);
      const { data } = await socket.ask({ type: "step", data: { message } });
      expect((data.observation as { echo: string }).echo.length).toBe(message.length);
      socket.send(Buffer.alloc(101 * MEBIBYTE, 0x20).toString());
      expect((await socket.closed).code).toBe(1009);
    }));

  test("compression is not negotiated even when the client offers it", () =>
    withServer([[counterDefinition]], async ({ ws }) => {
      const socket = await TestSocket.open(`${ws}/ws`, { "sec-websocket-extensions": "permessage-deflate" });
      expect(socket.socket.extensions).toBe("");
      await socket.close();
    }));

  test("200 sockets with a 10 kB message each cost far less than 100 kB apiece", () =>
    withServer([[echoDefinition], { maxSessions: 300 }], async ({ ws }) => {
      const message = "m".repeat(10_000);
      const open = async (count: number): Promise<TestSocket[]> => {
        const sockets = await Promise.all(Array.from({ length: count }, () => TestSocket.open(`${ws}/ws`)));
        await Promise.all(sockets.map((socket) => socket.ask({ type: "step", data: { message } })));
        return sockets;
      };
      const warm = await open(50);
      const before = process.memoryUsage().heapUsed;
      const sockets = await open(200);
      // Both ends live in this process, and garbage may not be collected yet: the bound is loose, the leak it looks for is not.
      expect((process.memoryUsage().heapUsed - before) / 200).toBeLessThan(400_000);
      await Promise.all([...warm, ...sockets].map((socket) => socket.close()));
    }));
});

describe("late answers", () => {
  test("after a client's timeout the reply to the next request carries that request's id", () => {
    let finish = (): void => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    return withServer([[moodyDefinition({ slow: () => slow })]], async ({ ws }) => {
      const socket = await TestSocket.open(`${ws}/ws`);
      socket.send({ type: "step", data: { mood: "slow" }, request_id: "late" });
      // The client gave up waiting and asks for the state.
      socket.send({ type: "state", request_id: "state" });
      finish();
      const replies = [JSON.parse(await socket.next()), JSON.parse(await socket.next())];
      expect(replies.map(({ type, request_id: id }) => [type, id])).toEqual([
        ["observation", "late"],
        ["state", "state"],
      ]);
      await socket.close();
    });
  });

  test("a step that hangs is answered by an error at its deadline, once, and the session is usable", () =>
    withServer([[moodyDefinition()], { stepTimeoutMs: 30 }], async ({ ws }) => {
      const socket = await TestSocket.open(`${ws}/ws`);
      await socket.ask({ type: "reset", data: { episode_id: "e" } });
      for (const mood of ["hang", "hangDeaf"])
        expect((await socket.ask({ type: "step", data: { mood } })).data).toMatchObject({
          code: "EXECUTION_ERROR",
          praxis_code: "STEP_TIMEOUT",
        });
      expect((await socket.ask({ type: "state" })).data).toEqual({ episode_id: "e", step_count: 0 });
      expect((await socket.ask({ type: "step", data: { mood: "fine" } })).type).toBe("observation");
      expect(socket.frames).toEqual([]);
      await socket.close();
    }));

  test("timeout_s beside a step replaces the deadline for that step", () =>
    withServer([[moodyDefinition()]], async ({ ws }) => {
      const socket = await TestSocket.open(`${ws}/ws`);
      const reply = await socket.ask({ type: "step", data: { mood: "hang" }, timeout_s: 0.02 });
      expect(reply.data.praxis_code).toBe("STEP_TIMEOUT");
      await socket.close();
    }));

  test("a reset during a running step is answered after it", () =>
    withServer([[moodyDefinition()], { stepTimeoutMs: 30 }], async ({ ws }) => {
      const socket = await TestSocket.open(`${ws}/ws`);
      socket.send({ type: "step", data: { mood: "hang" } });
      socket.send({ type: "reset", data: { episode_id: "second" } });
      expect(JSON.parse(await socket.next()).type).toBe("error");
      expect(JSON.parse(await socket.next()).type).toBe("observation");
      expect((await socket.ask({ type: "state" })).data.episode_id).toBe("second");
      await socket.close();
    }));
});

describe("resuming", () => {
  const resumable = async (ws: string): Promise<{ socket: TestSocket; token: string }> => {
    const socket = await TestSocket.open(`${ws}/ws`);
    const { type, data } = await socket.ask({ type: "session" });
    expect(type).toBe("session");
    return { socket, token: data.resume_token as string };
  };

  test("a client that asked for a token finds its episode on a new socket", () =>
    withServer([[counterDefinition], { maxSessions: 1 }], async ({ ws, server }) => {
      const { socket, token } = await resumable(ws);
      await socket.ask({ type: "step", data: { add: 3 } });
      socket.socket.terminate();
      await socket.closed;
      const next = await TestSocket.open(`${ws}/ws?resume=${token}`);
      expect((await next.ask({ type: "state" })).data).toMatchObject({ step_count: 1, total: 3 });
      expect(server.sessions.active).toBe(1);
      await next.close();
      await until(() => server.sessions.active === 0);
    }));

  test("a request sent again under its id is answered with its first reply and not carried out twice", () => {
    let finish = (): void => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    return withServer([[moodyDefinition({ slow: () => slow })]], async ({ ws, server }) => {
      const { socket, token } = await resumable(ws);
      await socket.ask({ type: "reset" });
      const step = { type: "step", data: { mood: "slow" }, request_id: "r-1" };
      socket.send(step);
      await until(() => server.sessions.isBusy);
      socket.socket.terminate();
      await socket.closed;
      const next = await TestSocket.open(`${ws}/ws?resume=${token}`);
      next.send(step);
      finish();
      const first = await next.next();
      expect(JSON.parse(first)).toMatchObject({ data: { observation: { steps: 1 } }, request_id: "r-1" });
      next.send(step);
      expect(await next.next()).toBe(first);
      expect((await next.ask({ type: "state" })).data.step_count).toBe(1);
      await next.close();
    });
  });

  test("a new socket takes over from one that still seems open, unasked frames are never sent", () =>
    withServer([[counterDefinition]], async ({ ws }) => {
      const { socket, token } = await resumable(ws);
      await socket.ask({ type: "step", data: { add: 1 } });
      const next = await TestSocket.open(`${ws}/ws?resume=${token}`);
      await socket.closed;
      expect((await next.ask({ type: "state" })).data.step_count).toBe(1);
      expect(next.frames).toEqual([]);
      await next.close();
    }));

  test("a token that is unknown, or whose session was closed, is refused", () =>
    withServer([[counterDefinition]], async ({ ws, server }) => {
      const { socket, token } = await resumable(ws);
      await socket.close();
      await until(() => server.sessions.active === 0);
      for (const wrong of [token, "nonsense"]) {
        const next = await TestSocket.open(`${ws}/ws?resume=${wrong}`);
        expect(JSON.parse(await next.next()).data).toMatchObject({
          code: "SESSION_ERROR",
          praxis_code: "UNKNOWN_SESSION",
        });
        expect((await next.closed).code).toBe(1000);
      }
    }));

  test("a session that nobody comes back for ends after the grace time", async () => {
    const clock = new ManualClock();
    const server = await startServer([counterDefinition], { clock, pingIntervalMs: null });
    const { socket } = await resumable(server.ws);
    const { data } = await socket.ask({ type: "session" });
    const session = server.server.sessions.get(data.session_id as string, counterDefinition);
    socket.socket.terminate();
    await until(() => session.isHeld);
    await clock.advance(29_000);
    expect(server.server.sessions.active).toBe(1);
    await clock.advance(3_000);
    expect(server.server.sessions.active).toBe(0);
    const closing = server.close();
    await clock.advance(2_000);
    await closing;
  });
});

describe("attaching", () => {
  const create = async (server: TestServer): Promise<string> => {
    const reply = await call(server.server, "POST", "/mcp", {
      jsonrpc: "2.0",
      method: "openenv/session/create",
      params: {},
      id: 1,
    });
    return (reply.body.result as { session_id: string }).session_id;
  };
  const closeSession = async (server: TestServer, id: string): Promise<unknown> =>
    (
      await call(server.server, "POST", "/mcp", {
        jsonrpc: "2.0",
        method: "openenv/session/close",
        params: { session_id: id },
        id: 2,
      })
    ).body.result;

  test("a socket on a session of MCP acts on the same episode and takes no slot; the session outlives it", () =>
    withServer([[counterDefinition], { maxSessions: 1 }], async (server) => {
      const id = await create(server);
      const socket = await TestSocket.open(`${server.ws}/ws?session_id=${id}`);
      await socket.ask({ type: "step", data: { add: 6 } });
      expect(server.server.sessions.active).toBe(1);
      await socket.close();
      const again = await TestSocket.open(`${server.ws}/ws?session_id=${id}`);
      expect((await again.ask({ type: "state" })).data).toMatchObject({ total: 6 });
      await again.close();
      expect(await closeSession(server, id)).toEqual({ session_id: id, closed: true });
    }));

  test("a close asked for meanwhile comes when the socket leaves by its close frame", () =>
    withServer([[counterDefinition]], async (server) => {
      const id = await create(server);
      const socket = await TestSocket.open(`${server.ws}/ws?session_id=${id}`);
      expect(await closeSession(server, id)).toEqual({ session_id: id, closed: false, closing: true });
      expect((await socket.ask({ type: "reset" })).type).toBe("observation");
      socket.send({ type: "close" });
      await socket.closed;
      expect(server.server.sessions.active).toBe(0);
    }));

  test("an unknown id and a second socket are refused with their texts", () =>
    withServer([[counterDefinition]], async (server) => {
      const unknown = await TestSocket.open(`${server.ws}/ws?session_id=nope`);
      expect(JSON.parse(await unknown.next()).data).toMatchObject({
        code: "SESSION_ERROR",
        message: "Unknown session_id: nope",
      });
      expect((await unknown.closed).code).toBe(1000);
      const id = await create(server);
      const first = await TestSocket.open(`${server.ws}/ws?session_id=${id}`);
      const second = await TestSocket.open(`${server.ws}/ws?session_id=${id}`);
      expect(JSON.parse(await second.next()).data).toMatchObject({
        code: "SESSION_ERROR",
        message: `Session ${id} already has an attached WebSocket`,
      });
      first.socket.terminate();
      await first.closed;
      await until(() => !server.server.sessions.get(id, counterDefinition).isAttached);
    }));

  test("a session closed from elsewhere closes its owner's socket", () =>
    withServer([[counterDefinition]], async (server) => {
      const socket = await TestSocket.open(`${server.ws}/ws`);
      const { data } = await socket.ask({ type: "session" });
      await closeSession(server, data.session_id as string);
      expect((await socket.closed).code).toBe(1000);
      expect(server.server.sessions.active).toBe(0);
    }));
});

test("a shutdown lets the running step finish and then closes its socket with 1001", async () => {
  let finish = (): void => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const server = await startServer([moodyDefinition({ slow: () => slow })]);
  const busy = await TestSocket.open(`${server.ws}/ws`);
  const idle = await TestSocket.open(`${server.ws}/ws`);
  busy.send({ type: "step", data: { mood: "slow" } });
  await until(() => server.server.sessions.isBusy);
  const closing = server.close();
  expect((await idle.closed).code).toBe(1001);
  finish();
  expect(JSON.parse(await busy.next()).type).toBe("observation");
  expect((await busy.closed).code).toBe(1001);
  await closing;
});
