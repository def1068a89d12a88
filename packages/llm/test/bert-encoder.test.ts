import { formatSafetensors, makeReferenceKernels, parseSafetensors } from "@praxis/nn";
import { describe, expect, test } from "vitest";
import { BertEncoder, type TokenBatch } from "../src/bert-encoder.ts";

const WIDTH = 8;
const INNER = 12;
const HEADS = 2;
const VOCABULARY = 10;
const kernels = makeReferenceKernels();

/** Small weights that repeat: a wave over all tensors. */
function makeTensors(): Map<string, { shape: number[]; data: Float32Array }> {
  const tensors = new Map<string, { shape: number[]; data: Float32Array }>();
  let at = 0;
  const put = (name: string, shape: number[], around = 0): void => {
    const size = shape.reduce((product, axis) => product * axis, 1);
    tensors.set(name, { shape, data: Float32Array.from({ length: size }, () => around + 0.5 * Math.sin(1.7 * ++at)) });
  };
  put("embeddings.word_embeddings.weight", [VOCABULARY, WIDTH]);
  put("embeddings.position_embeddings.weight", [6, WIDTH]);
  put("embeddings.token_type_embeddings.weight", [2, WIDTH]);
  const norm = (name: string) => {
    put(`${name}.weight`, [WIDTH], 1);
    put(`${name}.bias`, [WIDTH]);
  };
  const linear = (name: string, outputs: number, inputs: number) => {
    put(`${name}.weight`, [outputs, inputs]);
    put(`${name}.bias`, [outputs]);
  };
  norm("embeddings.LayerNorm");
  for (const part of ["query", "key", "value"]) linear(`encoder.layer.0.attention.self.${part}`, WIDTH, WIDTH);
  linear("encoder.layer.0.attention.output.dense", WIDTH, WIDTH);
  norm("encoder.layer.0.attention.output.LayerNorm");
  linear("encoder.layer.0.intermediate.dense", INNER, WIDTH);
  linear("encoder.layer.0.output.dense", WIDTH, INNER);
  norm("encoder.layer.0.output.LayerNorm");
  return tensors;
}

/** The paper's formulas for one text, without batches or kernels. */
function encodeByDefinition(ids: readonly number[]): number[][] {
  const tensors = makeTensors();
  const data = (name: string) => [...tensors.get(name)!.data];
  const linear = (name: string, x: readonly number[]) => {
    const weight = data(`${name}.weight`);
    return data(`${name}.bias`).map(
      (bias, o) => bias + x.reduce((sum, value, i) => sum + value * weight[o * x.length + i]!, 0),
    );
  };
  const norm = (name: string, x: readonly number[]) => {
    const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
    const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
    const [gain, bias] = [data(`${name}.weight`), data(`${name}.bias`)];
    return x.map((value, i) => ((value - mean) / Math.sqrt(variance + 1e-12)) * gain[i]! + bias[i]!);
  };
  const sum = (a: readonly number[], b: readonly number[]) => a.map((value, i) => value + b[i]!);
  const row = (name: string, i: number) => data(name).slice(i * WIDTH, (i + 1) * WIDTH);
  // erf by its series, exact enough for |x| < 4.
  const erf = (x: number) => {
    let [term, total] = [x, x];
    for (let n = 1; n < 80; n++) {
      term *= (-x * x) / n;
      total += term / (2 * n + 1);
    }
    return (2 / Math.sqrt(Math.PI)) * total;
  };
  const x = ids.map((id, i) =>
    norm(
      "embeddings.LayerNorm",
      sum(
        sum(row("embeddings.word_embeddings.weight", id), row("embeddings.position_embeddings.weight", i)),
        row("embeddings.token_type_embeddings.weight", 0),
      ),
    ),
  );
  const at = "encoder.layer.0";
  const [q, k, v] = ["query", "key", "value"].map((part) =>
    x.map((token) => linear(`${at}.attention.self.${part}`, token)),
  );
  const dim = WIDTH / HEADS;
  return x.map((token, i) => {
    const seen: number[] = [];
    for (let head = 0; head < HEADS; head++) {
      const columns = Array.from({ length: dim }, (_, c) => head * dim + c);
      const scores = k!.map((key) => Math.exp(columns.reduce((s, c) => s + q![i]![c]! * key[c]!, 0) / Math.sqrt(dim)));
      const total = scores.reduce((s, score) => s + score, 0);
      for (const c of columns) seen.push(v!.reduce((s, value, j) => s + (scores[j]! / total) * value[c]!, 0));
    }
    const attended = norm(`${at}.attention.output.LayerNorm`, sum(linear(`${at}.attention.output.dense`, seen), token));
    const wide = linear(`${at}.intermediate.dense`, attended).map(
      (value) => (value / 2) * (1 + erf(value / Math.SQRT2)),
    );
    return norm(`${at}.output.LayerNorm`, sum(linear(`${at}.output.dense`, wide), attended));
  });
}

function makeEncoder(drop = ""): BertEncoder {
  const tensors = makeTensors();
  tensors.delete(drop);
  return new BertEncoder({ kernels, weights: parseSafetensors(formatSafetensors(tensors)), heads: HEADS });
}

const states = (batch: TokenBatch): number[] => makeEncoder().run(batch, (_, { data }) => [...data]);

describe("BertEncoder", () => {
  test("gives what the formulas give", () => {
    const ids = [1, 7, 3, 9];
    const batch = { ids: Int32Array.from(ids), mask: new Float32Array(4).fill(1), batch: 1, length: 4 };
    for (const [i, value] of encodeByDefinition(ids).flat().entries()) expect(states(batch)[i]).toBeCloseTo(value, 4);
  });

  test("a text does not see the filling behind it", () => {
    const short = { ids: Int32Array.from([1, 7]), mask: new Float32Array([1, 1]), batch: 1, length: 2 };
    const filled = {
      ids: Int32Array.from([1, 7, -1, -1, 4, 5, 6, 2]),
      mask: new Float32Array([1, 1, 0, 0, 1, 1, 1, 1]),
      batch: 2,
      length: 4,
    };
    const alone = states(short);
    for (const [i, value] of states(filled)
      .slice(0, 2 * WIDTH)
      .entries())
      expect(value).toBeCloseTo(alone[i]!, 6);
  });

  test("missing weights, too long texts and unknown words are refused by name", () => {
    expect(() => makeEncoder("encoder.layer.0.output.dense.bias")).toThrow(
      /no tensor 'encoder.layer.0.output.dense.bias'/,
    );
    expect(() => makeEncoder("encoder.layer.0.attention.self.query.weight")).toThrow(/no 'encoder.layer.0'/);
    const long = { ids: new Int32Array(7), mask: new Float32Array(7).fill(1), batch: 1, length: 7 };
    expect(() => states(long)).toThrow(/7 tokens is too long for 6 positions/);
    const unknown = { ids: Int32Array.from([VOCABULARY]), mask: new Float32Array([1]), batch: 1, length: 1 };
    expect(() => states(unknown)).toThrow(/gave the id 10; the model has 10 words/);
  });
});
