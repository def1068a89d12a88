import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { makeReferenceKernels } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import { beforeAll, describe, expect, test } from "vitest";
import { LlmError, type MiniLm, makeMiniLm } from "../src/index.ts";
import { findMiniLmFiles } from "../src/node/index.ts";

interface Golden {
  readonly text: string;
  readonly tokens: readonly number[];
  readonly embedding: readonly number[];
}

const golden = readFileSync(new URL("fixtures/minilm-golden.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Golden);
const cache = new URL("../../../.peers/minilm", import.meta.url).pathname;

const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
    Array.from(x).reduce((sum, value, i) => sum + value * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
};

describe.skipIf(!existsSync(`${cache}/model.safetensors`))(
  "minilm on its weights (node scripts/minilm.mjs --install)",
  () => {
    let minilm: MiniLm;
    let alone: Float32Array[];
    beforeAll(async () => {
      const files = await findMiniLmFiles({ cache, env: {}, home: homedir(), report: () => {} });
      minilm = makeMiniLm((await selectKernels()).kernels, files);
      alone = golden.map(({ text }) => minilm.embed(text));
    });

    test("words are cut as by the original tokenizer, in any script", () => {
      for (const { text, tokens } of golden) expect(minilm.tokenize(text)).toEqual(tokens);
    });

    test("vectors are those of the original implementation", () => {
      for (const [i, { embedding }] of golden.entries()) {
        expect(cosine(alone[i]!, embedding)).toBeGreaterThan(0.9999);
        expect(Math.max(...embedding.map((value, j) => Math.abs(value - alone[i]![j]!)))).toBeLessThan(2e-5);
      }
    });

    test("a vector has length 1 and is the same in a batch with longer texts", () => {
      const texts = ["hello world", ...golden.slice(0, 7).map(({ text }) => text)];
      const [first] = minilm.embedAll(texts);
      expect(first).toHaveLength(384);
      expect(Math.hypot(...first!)).toBeCloseTo(1, 5);
      expect(cosine(first!, minilm.embed("hello world"))).toBeGreaterThan(0.9999);
      minilm.embedAll(golden.map(({ text }) => text)).forEach((vector, i) => {
        expect(cosine(vector, alone[i]!)).toBeGreaterThan(0.9999);
      });
    });

    test("a long text counts up to its 256th token", () => {
      const text = "one word after another ".repeat(100);
      expect(minilm.tokenize(text)).toHaveLength(256);
      expect(minilm.tokenize(text).at(-1)).toBe(102);
      expect([...minilm.embed(text)]).toEqual([...minilm.embed(`${text} and more`)]);
    });
  },
);

test("files of another model are refused before anything is computed", async () => {
  const tokenizer = await readFile(new URL("../package.json", import.meta.url));
  const empty = new Uint8Array([2, 0, 0, 0, 0, 0, 0, 0, 0x7b, 0x7d]);
  expect(() => makeMiniLm(makeReferenceKernels(), { model: empty, tokenizer })).toThrow(LlmError);
});
