import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { counterDefinition, echoDefinition, moodyDefinition } from "./envs.ts";
import { startServer, type TestServer, TestSocket } from "./harness.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer([counterDefinition, echoDefinition, moodyDefinition()]);
});
afterAll(() => server.close());

const open = (path = "/ws"): Promise<TestSocket> => TestSocket.open(server.ws + path);

/** A counter session after a reset and two steps. */
async function afterTwoSteps(): Promise<TestSocket> {
  const socket = await open();
  await socket.ask({ type: "reset", data: { seed: 7, episode_id: "ep" } });
  await socket.ask({ type: "step", data: { add: 1 } });
  await socket.ask({ type: "step", data: { add: 1 } });
  return socket;
}

const stepCount = async (socket: TestSocket): Promise<unknown> => (await socket.ask({ type: "state" })).data.step_count;

describe("messages that are no request", () => {
  test.each(["[1,2]", "7", "null", '"x"', "true", "", "{", "NaN", '{"type":"step","data":{"add":NaN}}'])(
    "%j is answered by an error frame, the session lives and nothing has changed",
    async (text) => {
      const socket = await afterTwoSteps();
      expect(await socket.ask(text)).toMatchObject({ type: "error", data: { code: "INVALID_JSON" } });
      expect(await stepCount(socket)).toBe(2);
      await socket.close();
    },
  );

  test("a binary frame is answered by an error frame and the session lives", async () => {
    const socket = await afterTwoSteps();
    expect(await socket.ask(Buffer.from('{"type":"state"}'))).toMatchObject({
      type: "error",
      data: { code: "INVALID_JSON" },
    });
    expect(await stepCount(socket)).toBe(2);
    await socket.close();
  });

  test.each([
    ["a lone surrogate in an action", '{"type":"step","data":{"add":1,"note":"\\ud800"}}'],
    ["the key __proto__", '{"type":"step","data":{"add":1,"__proto__":{"reward":1}}}'],
    ["the key __proto__ beside the data", '{"type":"step","data":{"add":1},"__proto__":{"type":"reset"}}'],
    ["nesting without end", `{"type":"step","data":{"add":${"[".repeat(5_000)}${"]".repeat(5_000)}}}`],
    ["a reward in the action", '{"type":"step","data":{"add":1,"reward":1}}'],
    ["done in the action", '{"type":"step","data":{"add":1,"done":true}}'],
    ["an action that is a list", '{"type":"step","data":[1]}'],
    ["no action", '{"type":"step"}'],
    ["an unknown key on state", '{"type":"state","extra":1}'],
    ["data on close", '{"type":"close","data":{"a":1}}'],
    ["a request id of another kind", '{"type":"state","request_id":{}}'],
    ["a negative timeout", '{"type":"step","data":{"add":1},"timeout_s":-1}'],
    ["a reset seed below zero", '{"type":"reset","data":{"seed":-1}}'],
    ["a reset seed with a fraction", '{"type":"reset","data":{"seed":1.5}}'],
    ["an episode id of 256 characters", JSON.stringify({ type: "reset", data: { episode_id: "x".repeat(256) } })],
    ["a reset option out of range", '{"type":"reset","data":{"limit":0}}'],
  ])("%s is VALIDATION_ERROR with the field, and nothing has changed", async (_what, text) => {
    const socket = await afterTwoSteps();
    const reply = await socket.ask(text);
    expect(reply).toMatchObject({ type: "error", data: { message: "Invalid message", code: "VALIDATION_ERROR" } });
    expect((reply.data.errors as unknown[]).length).toBeGreaterThan(0);
    expect(await stepCount(socket)).toBe(2);
    await socket.close();
  });

  test("an error entry has type, place, text, input and link", async () => {
    const socket = await open("/echo/ws");
    expect((await socket.ask({ type: "step", data: { message: "" } })).data).toEqual({
      message: "Invalid message",
      code: "VALIDATION_ERROR",
      errors: [
        {
          type: "string_too_short",
          loc: ["message"],
          msg: "String should have at least 1 character",
          input: "",
          ctx: { min_length: 1 },
          url: "https://errors.pydantic.dev/2.13/v/string_too_short",
        },
      ],
    });
    await socket.close();
  });

  test.each([
    ['{"type":"dance"}', "Unknown message type: dance"],
    ["{}", "Unknown message type: "],
    ['{"type":"toString"}', "Unknown message type: toString"],
    ['{"type":"validation_open","data":{}}', "Unknown message type: validation_open"],
  ])("%s is UNKNOWN_TYPE", async (text, message) => {
    const socket = await open();
    expect((await socket.ask(text)).data).toEqual({ message, code: "UNKNOWN_TYPE" });
    await socket.close();
  });
});

describe("requests", () => {
  test("nothing is sent before the first request", async () => {
    const socket = await open();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(socket.frames).toEqual([]);
    await socket.close();
  });

  test("reward and done stand beside the observation, terminated, truncated and metadata inside", async () => {
    const socket = await open();
    expect(await socket.ask({ type: "reset", data: { seed: 1, limit: 1 } })).toMatchObject({
      type: "observation",
      data: { reward: null, done: false, observation: { terminated: false, truncated: false, metadata: { seed: 1 } } },
    });
    const { data } = await socket.ask({ type: "step", data: { add: 5 } });
    expect(data).toMatchObject({ reward: 0.5, done: true, observation: { terminated: false, truncated: true } });
    expect(Object.keys(data)).toEqual(["observation", "reward", "done"]);
    expect(data.observation).not.toHaveProperty("reward");
    expect(data.observation).toHaveProperty("metadata", {});
    await socket.close();
  });

  test("metadata is repeated at the top only when there is some", async () => {
    const socket = await open();
    const { data } = await socket.ask({ type: "step", data: { add: 1, note: "hm" } });
    expect(data.metadata).toEqual({ heard: "hm" });
    expect((data.observation as { metadata: unknown }).metadata).toEqual({ heard: "hm" });
    await socket.close();
  });

  test("names, signs and characters of every plane travel unchanged, NUL included", async () => {
    const socket = await open("/echo/ws");
    for (const message of ["Zoë 李 👩‍⚕️", "paracétamol", "a\u0000b", "\u2028\u{10FFFF}", '"\\/'])
      expect((await socket.ask({ type: "step", data: { message } })).data.observation).toMatchObject({ echo: message });
    await socket.close();
  });

  test("text in Python's escapes is read as the characters meant", async () => {
    const socket = await open("/echo/ws");
    const reply = await socket.ask('{"type": "step", "data": {"message": "Zo\\u00eb \\ud83d\\ude00"}}');
    expect(reply.data.observation).toMatchObject({ echo: "Zoë 😀" });
    await socket.close();
  });

  test("answers come in the order of the requests, errors too, when they are sent at once", async () => {
    const socket = await open("/moody/ws");
    for (const message of [
      { type: "reset", data: {} },
      { type: "step", data: { mood: "fine" } },
      { type: "nope" },
      { type: "step", data: { mood: "throw" } },
      { type: "state" },
    ])
      socket.send(message);
    const types: unknown[] = [];
    for (let i = 0; i < 5; i++) {
      const { type, data } = JSON.parse(await socket.next());
      types.push(data.code ?? data.step_count ?? type);
    }
    expect(types).toEqual(["observation", "observation", "UNKNOWN_TYPE", "EXECUTION_ERROR", 1]);
    await socket.close();
  });

  test("a request id comes back beside the data, and only when one was sent", async () => {
    const socket = await open();
    expect(await socket.ask({ type: "state", request_id: "r-1" })).toMatchObject({ type: "state", request_id: "r-1" });
    expect(await socket.ask({ type: "nope", request_id: 5 })).toMatchObject({ type: "error", request_id: 5 });
    expect(await socket.ask('{"type":"step","data":{"note":"\\ud800"},"request_id":"r-2"}')).toMatchObject({
      data: { code: "VALIDATION_ERROR" },
      request_id: "r-2",
    });
    expect(await socket.ask({ type: "state" })).not.toHaveProperty("request_id");
    await socket.close();
  });

  test("an unknown reset option is left out and told with the nearest name", async () => {
    const socket = await open();
    const { data } = await socket.ask({ type: "reset", data: { limt: 2, nonsense: [] } });
    expect(data.metadata).toMatchObject({
      warnings: [
        "Unknown reset option 'limt' was ignored. Did you mean 'limit'?",
        "Unknown reset option 'nonsense' was ignored.",
      ],
    });
    await socket.close();
  });

  test("variants that clients send are accepted: data on state, null data, text seeds, unknown siblings of step", async () => {
    const socket = await open();
    for (const message of [
      { type: "state", data: {} },
      { type: "reset" },
      { type: "reset", data: null },
      { type: "reset", data: { seed: null, episode_id: null, limit: null } },
      { type: "reset", data: { seed: "7" } },
      { type: "reset", data: { seed: 7.0 } },
      { type: "step", data: { add: "2", metadata: {} }, speed: "fast" },
      { type: "step", data: { add: 2, metadata: null }, timeout_s: null },
    ])
      expect((await socket.ask(message)).type).not.toBe("error");
    await socket.close();
  });

  test("close ends the session without a reply and with code 1000", async () => {
    const socket = await open();
    socket.send({ type: "state" });
    socket.send({ type: "close" });
    expect(await socket.closed).toEqual({ code: 1000, reason: "" });
    expect(socket.frames).toHaveLength(1);
  });
});

describe("environments that fail", () => {
  test.each(["nan", "infinity", "minusInfinity", "nanObservation"])(
    "%s becomes an error, never a null reward, and the episode goes on from the state before",
    async (mood) => {
      const socket = await open("/moody/ws");
      await socket.ask({ type: "reset", data: { episode_id: "e" } });
      await socket.ask({ type: "step", data: { mood: "fine" } });
      expect((await socket.ask({ type: "step", data: { mood } })).data).toMatchObject({
        code: "EXECUTION_ERROR",
        praxis_code: "NON_FINITE_NUMBER",
      });
      expect((await socket.ask({ type: "state" })).data).toEqual({ episode_id: "e", step_count: 1 });
      expect((await socket.ask({ type: "step", data: { mood: "fine" } })).data).toMatchObject({ reward: 0.5 });
      await socket.close();
    },
  );

  test("the text of an exception reaches the client, its stack does not", async () => {
    const socket = await open("/moody/ws");
    const reply = await socket.ask({ type: "step", data: { mood: "throw" } });
    expect(reply.data).toEqual({ message: "kaput", code: "EXECUTION_ERROR", praxis_code: "ENVIRONMENT_ERROR" });
    expect(JSON.stringify(reply)).not.toMatch(/at |\.ts|node:/);
    await socket.close();
  });
});

describe("text that looks like code", () => {
  test.each([
    "env.reset()",
    "../../state",
    "__proto__",
    "constructor",
    '{"type":"reset"}',
    "</script>",
    "process.exit()",
  ])("%j in an action is text and nothing else", async (note) => {
    const socket = await afterTwoSteps();
    const { data } = await socket.ask({ type: "step", data: { add: 1, note } });
    expect(data).toMatchObject({ reward: 0.1, done: false, observation: { total: 3, note } });
    expect((await socket.ask({ type: "state" })).data).toMatchObject({ episode_id: "ep", step_count: 3 });
    await socket.close();
  });

  test.each(["../../state", "__proto__", "constructor", "reset"])("a tool named %j does not exist", async (name) => {
    const socket = await afterTwoSteps();
    const { data } = await socket.ask({
      type: "mcp",
      data: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } },
    });
    expect(data).toHaveProperty("error");
    expect(await stepCount(socket)).toBe(2);
    await socket.close();
  });
});
