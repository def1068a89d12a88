import { z } from "zod";
import { type CheckGroup, CheckSkip, expect, show } from "./check.ts";
import { asRecord, field, type Target } from "./target.ts";

/** How long a server must stay silent to count as one that sends no greeting. */
const GREETING_MS = 150;

/** Checks an `observation` reply and returns its data. @param phase names the request in messages */
function expectObservation(reply: unknown, phase: "reset" | "step"): Readonly<Record<string, unknown>> {
  expect(field(reply, "type") === "observation", `${phase} was answered ${show(reply)}`);
  const data = asRecord(field(reply, "data"));
  expect(data !== undefined, `${phase}: data is not an object`);
  expect(typeof data.done === "boolean", `${phase}: done is ${show(data.done)}, not a boolean`);
  expect("reward" in data, `${phase}: the reply has no reward`);
  const isNumber = typeof data.reward === "number" && Number.isFinite(data.reward);
  expect(
    isNumber || (data.reward === null && phase === "reset"),
    `${phase}: reward is ${show(data.reward)}; a step needs a finite number`,
  );
  const observation = asRecord(data.observation);
  expect(observation !== undefined, `${phase}: observation is ${show(data.observation)}, not an object`);
  const inside = ["reward", "done"].filter((key) => key in observation);
  expect(
    inside.length === 0,
    `${phase}: ${inside.join(" and ")} inside observation, where typed clients don't expect it`,
  );
  return data;
}

/** Checks a `state` reply and returns it. */
export function expectState(reply: unknown): Readonly<Record<string, unknown>> {
  const data = asRecord(field(reply, "data"));
  expect(field(reply, "type") === "state" && data !== undefined, `state was answered ${show(reply)}`);
  expect(Number.isInteger(data.step_count), `step_count is ${show(data.step_count)}, not an integer`);
  return data;
}

function expectFits(schema: unknown, name: string, value: unknown): void {
  let parser: z.ZodType;
  try {
    parser = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    throw new CheckSkip(`the ${name} schema can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const result = parser.safeParse(value);
  if (result.success) return;
  const issue = result.error.issues[0]!;
  expect(false, `${name} does not fit its schema at ${issue.path.join(".") || "the top"}: ${issue.message}`);
}

/** Rules of the `/ws` session protocol. */
export const sessionChecks: CheckGroup<Target> = {
  name: "Sessions on /ws",
  checks: [
    {
      id: "ws_no_greeting",
      title: "A new socket gets no frame before it asks",
      required: true,
      async run(target) {
        const socket = await target.openSession();
        try {
          const frame = await socket.silentFor(GREETING_MS);
          expect(frame === null, `the server sent ${frame?.text.slice(0, 120)}`);
        } finally {
          await socket.finish();
        }
      },
    },
    {
      id: "ws_reset",
      title: "reset answers an observation with reward and done beside it",
      required: true,
      run: (target) =>
        target.withSession(async (_socket, reply) => {
          expect(expectObservation(reply, "reset").done === false, "the episode is done at its reset");
        }),
    },
    {
      id: "ws_step",
      title: "step answers an observation with a finite reward",
      required: true,
      async run(target) {
        const action = await target.action();
        return await target.withSession(async (socket) => {
          const { reward, done } = expectObservation(await socket.ask({ type: "step", data: action }), "step");
          return `reward ${show(reward)}, done ${show(done)}`;
        });
      },
    },
    {
      id: "ws_state",
      title: "state tells the episode_id that reset asked for, and a step_count of 0",
      required: true,
      run: (target) =>
        target.withSession(
          async (socket) => {
            const state = expectState(await socket.ask({ type: "state" }));
            expect(
              state.episode_id === "validate-echo",
              `episode_id is ${show(state.episode_id)}, not "validate-echo"`,
            );
            expect(state.step_count === 0, `step_count is ${show(state.step_count)} after a reset`);
          },
          { seed: 7, episode_id: "validate-echo" },
        ),
    },
    {
      id: "ws_step_count",
      title: "step_count counts the steps since the last reset",
      required: true,
      async run(target) {
        const action = await target.action();
        return await target.withSession(async (socket) => {
          await socket.ask({ type: "step", data: action });
          const after = expectState(await socket.ask({ type: "state" }));
          expect(after.step_count === 1, `step_count is ${show(after.step_count)} after one step`);
          await socket.ask({ type: "reset", data: { seed: 8 } });
          const again = expectState(await socket.ask({ type: "state" }));
          expect(again.step_count === 0, `step_count is ${show(again.step_count)} after a second reset`);
        });
      },
    },
    {
      id: "ws_order",
      title: "Requests sent without waiting are answered once each, in order",
      required: true,
      async run(target) {
        const action = await target.action();
        return await target.withSession(async (socket) => {
          for (const message of [{ type: "state" }, { type: "step", data: action }, { type: "state" }])
            socket.send(message);
          const replies = [await socket.next(), await socket.next(), await socket.next()].map((frame) => frame.json);
          const kinds = replies.map((reply) => field(reply, "type"));
          expect(kinds.join() === "state,observation,state", `the answers were ${kinds.join(", ")}`);
          const counts = [replies[0], replies[2]].map((reply) => field(reply, "data", "step_count"));
          expect(counts.join() === "0,1", `step_count was ${counts.join(", then ")}`);
        });
      },
    },
    {
      id: "ws_step_before_reset",
      title: "A step before any reset is answered and the session lives",
      required: true,
      async run(target) {
        const action = await target.action();
        const socket = await target.openSession();
        try {
          const reply = await socket.ask({ type: "step", data: action });
          expect(["observation", "error"].includes(String(field(reply, "type"))), `the answer was ${show(reply)}`);
          expectState(await socket.ask({ type: "state" }));
          return `answered with ${show(field(reply, "type"))}`;
        } finally {
          await socket.finish();
        }
      },
    },
    {
      id: "ws_observation_schema",
      title: "Observations fit the schema that /schema publishes",
      required: true,
      async run(target) {
        const action = await target.action();
        const schema = (await target.get("/schema")).json;
        return await target.withSession(async (socket, reset) => {
          const whole = (reply: unknown) => {
            const data = asRecord(field(reply, "data")) ?? {};
            return { ...asRecord(data.observation), reward: data.reward, done: data.done };
          };
          expectFits(
            field(schema, "reset_observation") ?? field(schema, "observation"),
            "reset observation",
            whole(reset),
          );
          expectFits(
            field(schema, "observation"),
            "observation",
            whole(await socket.ask({ type: "step", data: action })),
          );
        });
      },
    },
    {
      id: "ws_metadata",
      title: "Observations carry metadata as an object, and no null metadata stands at the top",
      required: false,
      run: (target) =>
        target.withSession(async (_socket, reset) => {
          const nested = field(reset, "data", "observation", "metadata");
          expect(asRecord(nested) !== undefined, `observation.metadata is ${show(nested)}`);
          expect(field(reset, "data", "metadata") !== null, "top-level metadata is null, on which typed clients fail");
        }),
    },
    {
      id: "ws_close",
      title: "close ends the socket with code 1000 and no reply",
      required: true,
      async run(target) {
        const socket = await target.openSession();
        await socket.ask({ type: "state" });
        socket.send({ type: "close" });
        const { code } = await socket.closed();
        expect(code === 1000, `the close code was ${code}`);
        expect((await socket.silentFor(0)) === null, "close was answered with a frame");
      },
    },
  ],
};
