import type { Parameter, Tape } from "@praxis/nn";
import type { ActorCritic } from "./actor-critic.ts";
import type { LayeredState } from "./memory-rows.ts";
import type { ObservationNormalizer } from "./normalizers.ts";
import type { ObservationRecorder } from "./observation-record.ts";
import { FlatRecorder } from "./policies/flat-recorder.ts";
import { columnsOf } from "./policies/slot-features.ts";
import type { Memories, RecordedInput, RecordedOutput, RecordedPolicy } from "./recorded-policy.ts";

/** An {@link ActorCritic}, of any network and action space, for replay of whole episodes. */
export class RecordedActorCritic implements RecordedPolicy {
  readonly distribution: ActorCritic["head"];
  readonly identity = {};
  readonly inputs: number;
  readonly #network: ActorCritic;
  readonly #normalizer: ObservationNormalizer | null;

  /** @param normalizer applied to what is recorded; it does not move */
  constructor(network: ActorCritic, normalizer: ObservationNormalizer | null = null) {
    this.#network = network;
    this.#normalizer = normalizer;
    this.distribution = network.head;
    this.inputs = network.inputs;
  }

  get logDeviations(): Parameter | null {
    return this.#network.logDeviations;
  }

  parameters(): readonly Parameter[] {
    return this.#network.parameters();
  }

  makeRecorder(): ObservationRecorder {
    const normalizer = this.#normalizer;
    return new FlatRecorder(this.inputs, normalizer === null ? null : (row) => normalizer.apply(row));
  }

  initialMemories(batch: number): Memories {
    return this.#network.layered(this.#network.initialState(batch));
  }

  forward(tape: Tape, { steps, batch, records, starts, memories }: RecordedInput): RecordedOutput {
    const before = this.#network.initialState(batch);
    // The network's own states are these arrays in this order.
    this.#network.layered(before).forEach(({ state }, i) => {
      const given = memories[i] as LayeredState;
      state.hidden.set(given.state.hidden);
      state.cell.set(given.state.cell);
    });
    const observations = columnsOf(tape, records, 0, this.inputs);
    const { logits, values, state } = this.#network.forward(tape, {
      steps,
      batch,
      observations,
      starts,
      state: before,
    });
    return { logits, values, memories: this.#network.layered(state) };
  }
}
