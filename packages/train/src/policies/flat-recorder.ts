import { type Info, PraxisError } from "@praxis/env";
import type { ObservationRecord, ObservationRecorder } from "../observation-record.ts";

/** Keeps observations as they are, or as `apply` makes them. */
export class FlatRecorder implements ObservationRecorder {
  readonly #inputs: number;

  readonly #apply: ((observation: Float32Array) => Float32Array) | null;

  constructor(inputs: number, apply: ((observation: Float32Array) => Float32Array) | null = null) {
    this.#inputs = inputs;
    this.#apply = apply;
  }

  record(observation: Float32Array, _info: Info): ObservationRecord {
    if (observation.length !== this.#inputs)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `The observation has ${observation.length} numbers, not ${this.#inputs}.`,
      );
    return { numbers: this.#apply?.(observation) ?? observation.slice(), rows: [] };
  }

  clear(): void {}
}
