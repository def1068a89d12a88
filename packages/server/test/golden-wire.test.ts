import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { counterDefinition, echoDefinition, moodyDefinition } from "./envs.ts";
import { call, type Json, makeServer, startServer, TestSocket } from "./harness.ts";

// The replies are golden: UPDATE_GOLDEN=1 writes them anew, and the difference is for reading in review.
const UPDATES = process.env.UPDATE_GOLDEN === "1";
const DEFINITIONS = { counter: counterDefinition, echo: echoDefinition, moody: moodyDefinition() } as const;

interface HttpFixture {
  readonly title: string;
  readonly environment: keyof typeof DEFINITIONS;
  readonly mode: "simulation" | "production";
  /** A string body is sent as it is, anything else as JSON. */
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  reply: { readonly status: number; readonly body: unknown } | null;
}
interface SocketFixture {
  readonly title: string;
  readonly environment: keyof typeof DEFINITIONS;
  readonly path: string;
  /** A string is sent as it is, anything else as JSON; each message has one reply. */
  readonly exchanges: { readonly send: unknown; reply: unknown }[];
}

const fileOf = (name: string): URL => new URL(`fixtures/${name}.json`, import.meta.url);
const load = <T>(name: string): T => JSON.parse(readFileSync(fileOf(name), "utf8")) as T;
const save = (name: string, fixtures: unknown): void => {
  if (UPDATES) writeFileSync(fileOf(name), `${JSON.stringify(fixtures, null, 2)}\n`);
};

describe("replies on HTTP", () => {
  const fixtures = load<HttpFixture[]>("http");
  test.each(fixtures)("$title is answered as recorded", async (fixture) => {
    const { environment, mode, request } = fixture;
    const server = makeServer([DEFINITIONS[environment]], { mode });
    const { status, body } = await call(server, request.method, request.path, request.body);
    if (UPDATES) fixture.reply = { status, body };
    expect({ status, body }).toEqual(fixture.reply);
    save("http", fixtures);
  });
});

describe("replies on sockets", () => {
  const fixtures = load<SocketFixture[]>("ws");
  test.each(fixtures)("$title is answered frame by frame as recorded", async (fixture) => {
    const server = await startServer([DEFINITIONS[fixture.environment]]);
    try {
      const socket = await TestSocket.open(server.ws + fixture.path);
      for (const exchange of fixture.exchanges) {
        const reply: Json = await socket.ask(exchange.send);
        if (UPDATES) exchange.reply = reply;
        expect(reply).toEqual(exchange.reply);
      }
      expect(socket.frames).toEqual([]);
      await socket.close();
    } finally {
      await server.close();
    }
    save("ws", fixtures);
  });
});
