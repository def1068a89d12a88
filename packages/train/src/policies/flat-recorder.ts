import { type Info, PraxisError } from "@praxis/env";
import type { ObservationRecord, ObservationRecorder } from "../observation-record.ts";

/** Keeps observations as they are. */
export class FlatRecorder implements ObservationRecorder {
  readonly #inputs: number;

  constructor(inputs: number) {
    this.#inputs = inputs;
  }

  record(observation: Float32Array, _info: Info): ObservationRecord {
    if (observation.length !== this.#inputs)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `The observation has ${observation.length} numbers, not ${this.#inputs}.`,
      );
    return { numbers: observation.slice(), rows: [] };
  }

  clear(): void {}
}
