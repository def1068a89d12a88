import { NnError } from "../errors.ts";
import { ProtobufWriter } from "./protobuf.ts";

/** Operator set 17 and file format 8: what runtimes since ONNX 1.12 (2022) read. */
const OPERATOR_SET = 17;
const FORMAT_VERSION = 8;

const ELEMENT_TYPES = { float32: 1, int64: 7 } as const;
const ATTRIBUTE_TYPES = { float: 1, int: 2, text: 3, ints: 7 } as const;

/** A name in the graph. */
export type OnnxValue = string;

export type OnnxAttribute =
  | { readonly int: number }
  | { readonly float: number }
  | { readonly text: string }
  | { readonly ints: readonly number[] };

/** A size, or the name of one that is free. */
export type OnnxAxis = number | string;

export interface OnnxNodeOptions {
  readonly attributes?: Readonly<Record<string, OnnxAttribute>>;
  /** Number of results, default 1. */
  readonly outputs?: number;
}

/** Builds an ONNX model step by step; layers add themselves by the functions of `onnx/layers.ts`. */
export class OnnxGraph {
  readonly #graph = new ProtobufWriter();
  readonly #names = new Set<string>();
  #count = 0;

  #declare(name: string): string {
    if (name === "" || this.#names.has(name))
      throw new NnError("BAD_OPTION", `The ONNX name '${name}' is empty or taken.`);
    this.#names.add(name);
    return name;
  }

  /** An input of the model. */
  input(name: string, shape: readonly OnnxAxis[], type: keyof typeof ELEMENT_TYPES = "float32"): OnnxValue {
    this.#graph.message(11, valueInfo(this.#declare(name), shape, type));
    return name;
  }

  /** A constant tensor. */
  constant(
    values: ArrayLike<number>,
    shape: readonly number[],
    type: keyof typeof ELEMENT_TYPES = "float32",
  ): OnnxValue {
    const name = this.#declare(`constant_${this.#count++}`);
    const raw =
      type === "float32" ? Float32Array.from(values) : BigInt64Array.from(Array.from(values, (value) => BigInt(value)));
    const tensor = new ProtobufWriter();
    for (const axis of shape) tensor.int(1, axis);
    tensor.int(2, ELEMENT_TYPES[type]).text(8, name).bytes(9, new Uint8Array(raw.buffer));
    this.#graph.message(5, tensor);
    return name;
  }

  /** One operator; its first result. An input left out is "". */
  node(operator: string, inputs: readonly OnnxValue[], options: OnnxNodeOptions = {}): OnnxValue {
    return this.nodes(operator, inputs, options)[0]!;
  }

  /** One operator; all its results. */
  nodes(
    operator: string,
    inputs: readonly OnnxValue[],
    { attributes = {}, outputs = 1 }: OnnxNodeOptions = {},
  ): readonly OnnxValue[] {
    const id = this.#count++;
    const results = Array.from({ length: outputs }, (_, i) => this.#declare(`${operator}_${id}_${i}`));
    this.#graph.message(1, nodeMessage(operator, `${operator}_${id}`, inputs, results, attributes));
    return results;
  }

  /** Makes a value an output of the model under that name. */
  output(name: string, value: OnnxValue, shape: readonly OnnxAxis[]): void {
    this.#declare(name);
    this.#graph.message(1, nodeMessage("Identity", `output_${name}`, [value], [name], {}));
    this.#graph.message(12, valueInfo(name, shape, "float32"));
  }

  /** The file. */
  finish(name: string): Uint8Array<ArrayBuffer> {
    const graph = this.#graph.text(2, name);
    const operatorSet = new ProtobufWriter().text(1, "").int(2, OPERATOR_SET);
    return new ProtobufWriter()
      .int(1, FORMAT_VERSION)
      .text(2, "praxis")
      .message(7, graph)
      .message(8, operatorSet)
      .finish();
  }
}

function nodeMessage(
  operator: string,
  name: string,
  inputs: readonly OnnxValue[],
  outputs: readonly OnnxValue[],
  attributes: Readonly<Record<string, OnnxAttribute>>,
): ProtobufWriter {
  const node = new ProtobufWriter();
  for (const input of inputs) node.text(1, input);
  for (const output of outputs) node.text(2, output);
  node.text(3, name).text(4, operator);
  for (const [key, value] of Object.entries(attributes)) {
    const attribute = new ProtobufWriter().text(1, key);
    if ("int" in value) attribute.int(3, value.int).int(20, ATTRIBUTE_TYPES.int);
    else if ("float" in value) attribute.float(2, value.float).int(20, ATTRIBUTE_TYPES.float);
    else if ("text" in value) attribute.text(4, value.text).int(20, ATTRIBUTE_TYPES.text);
    else {
      for (const item of value.ints) attribute.int(8, item);
      attribute.int(20, ATTRIBUTE_TYPES.ints);
    }
    node.message(5, attribute);
  }
  return node;
}

function valueInfo(name: string, shape: readonly OnnxAxis[], type: keyof typeof ELEMENT_TYPES): ProtobufWriter {
  const axes = new ProtobufWriter();
  for (const axis of shape) {
    axes.message(1, typeof axis === "number" ? new ProtobufWriter().int(1, axis) : new ProtobufWriter().text(2, axis));
  }
  const tensor = new ProtobufWriter().int(1, ELEMENT_TYPES[type]).message(2, axes);
  return new ProtobufWriter().text(1, name).message(2, new ProtobufWriter().message(1, tensor));
}
