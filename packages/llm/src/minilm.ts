import { Tokenizer } from "@huggingface/tokenizers";
import { type Kernels, maskedMean, parseSafetensors } from "@praxis/nn";
import { BertEncoder, type TokenBatch } from "./bert-encoder.ts";
import type { Embedder } from "./embedder.ts";
import { LlmError } from "./errors.ts";

/** Bytes of the two files that make an embedder. */
export interface MiniLmFiles {
  /** `model.safetensors` of all-MiniLM-L6-v2. */
  readonly model: Uint8Array;
  /** `tokenizer.json` beside it. */
  readonly tokenizer: Uint8Array;
}

/** all-MiniLM-L6-v2 as {@link Embedder}, with its tokens in the open. */
export interface MiniLm extends Embedder {
  /** Token ids of a text, [CLS] and [SEP] included, at most {@link MAX_TOKENS}. */
  tokenize(text: string): number[];
}

const DIM = 384;
const HEADS = 12;
/** Source: the model's `sentence_bert_config.json`; it was trained on no longer texts. */
const MAX_TOKENS = 256;
const SEP = 102;
/** Tokens of a batch, filling included. assumption: enough to keep the products efficient, some 20 MB of activations. */
const BATCH_TOKENS = 1024;

/**
 * The sentence embedder all-MiniLM-L6-v2 (Reimers and Gurevych 2019; Wang et al. 2020): WordPiece, BERT encoder, mean over
 * tokens, length 1. Blocks while it computes: some milliseconds a text. Throws `BAD_FILE` when the files aren't that model's.
 */
export function makeMiniLm(kernels: Kernels, { model, tokenizer }: MiniLmFiles): MiniLm {
  const encoder = new BertEncoder({ kernels, weights: parseSafetensors(model), heads: HEADS });
  if (encoder.width !== DIM)
    throw new LlmError("BAD_FILE", `The model's vectors have ${encoder.width} numbers, not ${DIM}.`);
  const wordPiece = readTokenizer(tokenizer);
  const tokenize = (text: string): number[] => {
    const { ids } = wordPiece.encode(text);
    return ids.length <= MAX_TOKENS ? ids : [...ids.slice(0, MAX_TOKENS - 1), SEP];
  };

  const embedTokens = (rows: readonly (readonly number[])[]): Float32Array[] => {
    const batch = fillUp(rows);
    return encoder.run(batch, (tape, states) => {
      const means = maskedMean(tape, states, batch.mask).data;
      return rows.map((_, i) => normalised(means.subarray(i * DIM, (i + 1) * DIM)));
    });
  };

  return {
    id: "minilm",
    dim: DIM,
    tokenize,
    embed: (text) => embedTokens([tokenize(text)])[0]!,
    embedAll(texts) {
      // Texts of like length go together, so that little is filling.
      const waiting = texts.map((text, i) => ({ i, tokens: tokenize(text) }));
      waiting.sort((a, b) => a.tokens.length - b.tokens.length || a.i - b.i);
      const vectors: Float32Array[] = new Array(texts.length);
      while (waiting.length > 0) {
        let count = 1;
        while (count < waiting.length && (count + 1) * waiting[count]!.tokens.length <= BATCH_TOKENS) count++;
        const batch = waiting.splice(0, count);
        embedTokens(batch.map(({ tokens }) => tokens)).forEach((vector, k) => {
          vectors[batch[k]!.i] = vector;
        });
      }
      return vectors;
    },
  };
}

function readTokenizer(bytes: Uint8Array): Tokenizer {
  try {
    const { truncation: _, padding: __, ...json } = JSON.parse(new TextDecoder().decode(bytes));
    // The library would apply neither, but the file's own limit of 128 tokens and its filling are not ours.
    return new Tokenizer(json, { tokenizer_class: "BertTokenizer" });
  } catch (error) {
    throw new LlmError("BAD_FILE", `The tokenizer file cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function fillUp(rows: readonly (readonly number[])[]): TokenBatch {
  const length = Math.max(...rows.map((row) => row.length));
  const ids = new Int32Array(rows.length * length).fill(-1);
  const mask = new Float32Array(rows.length * length);
  rows.forEach((row, i) => {
    ids.set(row, i * length);
    mask.fill(1, i * length, i * length + row.length);
  });
  return { ids, mask, batch: rows.length, length };
}

function normalised(mean: Float32Array): Float32Array {
  let square = 0;
  for (const value of mean) square += value * value;
  const length = Math.sqrt(square);
  return length === 0 ? new Float32Array(mean.length) : mean.map((value) => value / length);
}
