import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { praxis } from "./run-praxis.ts";

let server: Server | null = null;
const asked: string[] = [];
afterEach(() => {
  server?.close();
  server = null;
  asked.length = 0;
});

/** A service that answers chat completions one after the other with what it is given, the last again and again. */
async function serve(answers: readonly (string | number)[]): Promise<string> {
  let count = 0;
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      asked.push((JSON.parse(body) as { messages: { content: string }[] }).messages[1]!.content);
      const answer = answers[Math.min(count++, answers.length - 1)]!;
      response.writeHead(typeof answer === "number" ? answer : 200, { "content-type": "application/json" });
      response.end(typeof answer === "number" ? "{}" : JSON.stringify({ choices: [{ message: { content: answer } }] }));
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const play = (url: string) =>
  praxis("play", "spindleflow", "--policy", "llmRouter", "--seed", "3", "--preset", "demo", "--model-url", url);

test("a model routes: it reads task and roster, calls whom it names, and its stop ends the task", async () => {
  const url = await serve([
    'Sure: {"meta": "callSpecialist", "slots": [1, 0], "mode": "parallel"}',
    '{"meta": "stop"}',
  ]);
  const { code, out } = await play(url);
  expect(code).toBe(0);
  expect(asked[0]).toMatch(/^Task 1 of 1: .+\nTime used: 0 ms/);
  expect(asked[0]).toContain("slot 0 (free): ");
  expect(asked).toHaveLength(2);
  expect(out).toContain("terminated");
});

test("an answer that is not legal is sent back once with what is wrong; twice ends the run and is no play", async () => {
  const url = await serve(['{"meta": "callMediator"}', '{"meta": "callSpecialist", "slots": [0]}', '{"meta": "stop"}']);
  expect((await play(url)).code).toBe(0);
  expect(asked[1]).toContain("'callMediator' is not legal now.");
  server!.close();
  const { code, err } = await play(await serve(["I would ask the designer."]));
  expect(code).not.toBe(0);
  expect(err).toContain("The model of llmRouter named no legal choice twice");
});

test("a model that fails, and none at all, are said and never scored", async () => {
  const failed = await play(await serve([500]));
  expect(failed.code).not.toBe(0);
  expect(failed.err).toContain("The model of llmRouter gave no answer");
  const none = await praxis("play", "spindleflow", "--policy", "llmRouter", "--seed", "3");
  expect(none.err).toContain("--model-url names the root of an OpenAI-compatible service");
});
