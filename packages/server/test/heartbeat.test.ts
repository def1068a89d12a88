import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { type Beating, Heartbeat } from "../src/ws/heartbeat.ts";
import { counterDefinition, moodyDefinition } from "./envs.ts";
import { startServer, TestSocket, until } from "./harness.ts";
import { ManualClock } from "./manual-clock.ts";

class FakeSocket implements Beating {
  seenAt = 0;
  beats = 0;
  isLost = false;
  beat(): void {
    this.beats++;
  }
  lost(): void {
    this.isLost = true;
  }
}

describe("the heartbeat", () => {
  test("pings every socket once an interval from a single timer, never all at once", async () => {
    const clock = new ManualClock();
    const heartbeat = new Heartbeat(clock, 20_000, 300_000);
    const sockets = Array.from({ length: 200 }, () => new FakeSocket());
    for (const socket of sockets) heartbeat.add(socket);
    expect(clock.pending).toBe(1);
    await clock.advance(1_000);
    expect(sockets.filter(({ beats }) => beats > 0)).toHaveLength(10);
    await clock.advance(39_000);
    expect(sockets.every(({ beats }) => beats === 2)).toBe(true);
  });

  test("gives up a socket that was silent for the whole limit; any sign of life begins it anew", async () => {
    const clock = new ManualClock();
    const heartbeat = new Heartbeat(clock, 20_000, 300_000);
    const [silent, alive] = [new FakeSocket(), new FakeSocket()];
    heartbeat.add(silent);
    heartbeat.add(alive);
    await clock.advance(280_000);
    alive.seenAt = heartbeat.tick;
    expect(silent.isLost).toBe(false);
    await clock.advance(40_000);
    expect([silent.isLost, alive.isLost]).toEqual([true, false]);
  });

  test("without an interval there are no pings and silence is no reason to drop", async () => {
    const clock = new ManualClock();
    const heartbeat = new Heartbeat(clock, null, 300_000);
    const socket = new FakeSocket();
    heartbeat.add(socket);
    await clock.advance(1_000_000);
    expect([socket.beats, socket.isLost]).toEqual([0, false]);
  });

  test("a socket that was removed is left alone", async () => {
    const clock = new ManualClock();
    const heartbeat = new Heartbeat(clock, 20_000, 300_000);
    const socket = new FakeSocket();
    heartbeat.add(socket);
    heartbeat.remove(socket);
    await clock.advance(400_000);
    expect([socket.beats, socket.isLost, heartbeat.size]).toEqual([0, false, 0]);
  });
});

test("pings flow while a step of 90 seconds runs, and it completes", async () => {
  const clock = new ManualClock();
  let finish = (): void => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const server = await startServer([moodyDefinition({ slow: () => slow })], { clock });
  const socket = await TestSocket.open(`${server.ws}/ws`);
  let pings = 0;
  socket.socket.on("ping", () => pings++);
  socket.send({ type: "step", data: { mood: "slow" }, timeout_s: 120 });
  await until(() => server.server.sessions.isBusy);
  for (let seconds = 0; seconds < 90; seconds += 20) await clock.advance(20_000);
  await until(() => pings >= 4);
  finish();
  expect(JSON.parse(await socket.next()).type).toBe("observation");
  await socket.close();
  const closing = server.close();
  await clock.advance(2_000);
  await closing;
});

test("handshakes that make no sense are refused and harm nobody", async () => {
  const server = await startServer([counterDefinition]);
  const port = Number(new URL(server.url).port);
  for (const target of ["//", "/ws/../../etc", "/%zz", "?", "http://[", "/ws?session_id=%zz", "*"]) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    const reply = await new Promise<string>((resolve) => {
      socket.once("data", (data) => resolve(data.toString()));
      socket.once("close", () => resolve("closed"));
    });
    expect(reply).toMatch(/^HTTP\/1\.1 (?:101|400|403)|^closed/);
    socket.destroy();
  }
  const socket = await TestSocket.open(`${server.ws}/ws`);
  expect((await socket.ask({ type: "reset" })).type).toBe("observation");
  await socket.close();
  await server.close();
});
