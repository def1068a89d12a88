import { type CheckGroup, CheckSkip, expect, show } from "./check.ts";
import { asRecord, field, type Target } from "./target.ts";

async function needSimulation(target: Target): Promise<void> {
  if ((await target.mode()) === "production") throw new CheckSkip("production mode has no reset, step or state routes");
}

function expectStepBody(json: unknown): void {
  for (const key of ["observation", "reward", "done"])
    expect(asRecord(json)?.[key] !== undefined, `the body has no ${key}: ${show(json)}`);
}

/** Rules of the one-shot HTTP routes. */
export const httpChecks: CheckGroup<Target> = {
  name: "HTTP routes",
  checks: [
    {
      id: "http_reset_empty",
      title: "POST /reset without a body answers 200",
      required: true,
      async run(target) {
        await needSimulation(target);
        const { status, json } = await target.request("POST", "/reset");
        expect(status === 200, `HTTP ${status}`);
        expectStepBody(json);
      },
    },
    {
      id: "http_step",
      title: "POST /step takes the action under `action`",
      required: true,
      async run(target) {
        await needSimulation(target);
        const action = await target.action();
        const { status, json } = await target.request("POST", "/step", { action });
        // A stateless server acts on an environment without a reset, which some environments refuse.
        if (status === 500 || status === 409) throw new CheckSkip(`HTTP ${status}: no step before a reset`);
        expect(status === 200, `HTTP ${status}, ${show(json)}`);
        expectStepBody(json);
      },
    },
    {
      id: "http_state",
      title: "GET /state tells episode_id and step_count",
      required: true,
      async run(target) {
        await needSimulation(target);
        const { status, json } = await target.request("GET", "/state");
        expect(status === 200 && Number.isInteger(field(json, "step_count")), `HTTP ${status}, ${show(json)}`);
      },
    },
    {
      id: "http_bad_seed",
      title: "A negative seed is refused with 422 and its place",
      required: true,
      async run(target) {
        await needSimulation(target);
        const { status, json } = await target.request("POST", "/reset", { seed: -1 });
        expect(status === 422, `HTTP ${status}, ${show(json)}`);
        const [entry] = Array.isArray(field(json, "detail")) ? (field(json, "detail") as unknown[]) : [];
        const loc = field(entry, "loc");
        expect(Array.isArray(loc) && loc.includes("seed"), `the detail names ${show(loc)}, not the seed`);
      },
    },
    {
      id: "http_bad_json",
      title: "A body that is not JSON is refused with a 4xx",
      required: true,
      async run(target) {
        await needSimulation(target);
        const { status } = await target.request("POST", "/step", "{");
        expect(status >= 400 && status < 500, `HTTP ${status}`);
        return `HTTP ${status}`;
      },
    },
    {
      id: "http_production_closed",
      title: "A production server answers 404 or 403 to reset, step and state",
      required: true,
      async run(target) {
        if ((await target.mode()) === "simulation") throw new CheckSkip("this server is in simulation mode");
        for (const [method, path] of [
          ["POST", "/reset"],
          ["POST", "/step"],
          ["GET", "/state"],
        ] as const) {
          const { status } = await target.request(method, path, method === "POST" ? {} : undefined);
          expect([401, 403, 404, 405].includes(status), `${method} ${path} answers HTTP ${status}`);
        }
      },
    },
    {
      id: "http_unknown_path",
      title: "An unknown path answers 404",
      required: true,
      async run(target) {
        const { status } = await target.request("GET", "/no-such-path");
        expect(status === 404, `HTTP ${status}`);
      },
    },
    {
      id: "http_schema_plain",
      title: "/schema is sent uncompressed to clients that ask for identity",
      required: true,
      async run(target) {
        const { headers } = await target.request("GET", "/schema", undefined, { "accept-encoding": "identity" });
        const encoding = headers.get("content-encoding") ?? "identity";
        expect(encoding === "identity", `content-encoding is ${encoding}`);
      },
    },
  ],
};
