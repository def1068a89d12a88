import { expect, test } from "vitest";
import { counterDefinition, moodyDefinition } from "./envs.ts";
import { call, startServer, TestSocket } from "./harness.ts";

test("a scrape tells what was done, in Prometheus's text format", async () => {
  const server = await startServer([counterDefinition, moodyDefinition()], { maxSessions: 1 });
  try {
    const socket = await TestSocket.open(`${server.ws}/ws`);
    await socket.ask({ type: "reset" });
    await socket.ask({ type: "step", data: { add: 1 } });
    await socket.ask({ type: "step", data: { add: 1 } });
    await socket.ask({ type: "nope" });
    await (await TestSocket.open(`${server.ws}/ws`)).closed;
    await call(server.server, "POST", "/moody/step", { action: { mood: "throw" } });
    const response = await server.server.app.request("/metrics");
    expect(response.headers.get("content-type")).toContain("text/plain");
    const text = await response.text();
    const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
    expect(value("praxis_steps_total")).toBe(2);
    expect(value("praxis_sessions_active")).toBe(1);
    expect(value("praxis_sessions_max")).toBe(1);
    expect(value("praxis_sessions_opened_total")).toBe(1);
    expect(value("praxis_sessions_refused_total")).toBe(1);
    expect(value("praxis_messages_total")).toBe(4);
    expect(value("praxis_message_errors_total")).toBe(1);
    expect(value("praxis_environment_failures_total")).toBe(1);
    expect(value('praxis_step_seconds_bucket\\{le="\\+Inf"\\}')).toBe(2);
    expect((await (await server.server.app.request("/metrics")).text()).match(/praxis_steps_total 2/)).not.toBeNull();
    await socket.close();
  } finally {
    await server.close();
  }
});
