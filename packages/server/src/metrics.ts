import type { Hono } from "hono";
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { type Counters, STEP_SECONDS_BOUNDS } from "./counters.ts";
import type { Forwarder } from "./forward.ts";
import type { SessionStore } from "./sessions.ts";

type CounterName = {
  [Key in keyof Counters]: Counters[Key] extends number ? Key : never;
}[keyof Counters];

const COUNTERS: readonly (readonly [CounterName, string, string])[] = [
  ["resets", "praxis_resets_total", "Episodes begun"],
  ["steps", "praxis_steps_total", "Steps taken"],
  ["stateReads", "praxis_state_reads_total", "States read"],
  ["toolCalls", "praxis_tool_calls_total", "Tools called"],
  ["failures", "praxis_environment_failures_total", "Operations that an environment failed"],
  ["timeouts", "praxis_timeouts_total", "Operations that missed their deadline"],
  ["overruns", "praxis_overruns_total", "Synchronous steps that took longer than their deadline"],
  ["sessionsOpened", "praxis_sessions_opened_total", "Sessions opened"],
  ["sessionsRefused", "praxis_sessions_refused_total", "Sessions refused for lack of a slot"],
  ["sessionsExpired", "praxis_sessions_expired_total", "Sessions ended for being idle"],
  ["sessionsResumed", "praxis_sessions_resumed_total", "Sessions that went on with a new socket"],
  ["messages", "praxis_messages_total", "WebSocket messages received"],
  ["messageErrors", "praxis_message_errors_total", "WebSocket messages answered with an error"],
];

/** The server's metrics for Prometheus: filled when scraped, so that the hot path pays nothing for them. */
export function makeMetrics(counters: Counters, sessions: SessionStore): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  for (const [key, name, help] of COUNTERS)
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(counters[key]);
      },
    });
  new Gauge({
    name: "praxis_sessions_active",
    help: "Session slots in use",
    registers,
    collect() {
      this.set(sessions.active);
    },
  });
  new Gauge({
    name: "praxis_sessions_max",
    help: "Session slots",
    registers,
    collect() {
      this.set(sessions.maxSessions);
    },
  });
  // Cumulative buckets written out by hand: a Histogram would have to be told of every step.
  new Gauge({
    name: "praxis_step_seconds_bucket",
    help: "Steps that took at most le seconds",
    labelNames: ["le"],
    registers,
    collect() {
      let total = 0;
      for (const [i, steps] of counters.stepSeconds.entries()) {
        total += steps;
        this.set({ le: String(STEP_SECONDS_BOUNDS[i] ?? "+Inf") }, total);
      }
    },
  });
  new Gauge({
    name: "praxis_step_seconds_sum",
    help: "Seconds spent in steps",
    registers,
    collect() {
      this.set(counters.stepSecondsSum);
    },
  });
  return registry;
}

/** Query that asks one worker for its own metrics as JSON. */
const OWN = "own";

/** Adds `/metrics`; with several workers it sums the metrics of all. */
export function addMetricsRoute(app: Hono, metrics: Registry, forwarder: Forwarder | null): void {
  app.get("/metrics", async (c) => {
    if (c.req.query(OWN) !== undefined) return c.json(await metrics.getMetricsAsJSON());
    const others = forwarder === null ? [] : await forwarder.gather(`/metrics?${OWN}`, c.req.header("authorization"));
    const all =
      others.length === 0
        ? metrics
        : AggregatorRegistry.aggregate([await metrics.getMetricsAsJSON(), ...others.map((text) => JSON.parse(text))]);
    return c.body(await all.metrics(), 200, { "content-type": metrics.contentType });
  });
}
