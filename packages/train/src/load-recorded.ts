import { type EnvDefinition, type Info, type Policy, PraxisError } from "@praxis/env";
import { type Kernels, Tape } from "@praxis/nn";
import type { Odds } from "./action-distribution.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { checkOrigin } from "./checkpoint-origin.ts";
import { restoreParameters } from "./model-tensors.ts";
import type { Memories, ProjectionCache, RecordedPolicy } from "./recorded-policy.ts";

type Identity = Readonly<Record<string, string | number | boolean>>;

/** Throws VALIDATION_ERROR naming every field in which a checkpoint and what it is to be loaded into differ. */
export function checkIdentity(saved: Identity, wanted: Identity): void {
  const names = [...new Set([...Object.keys(saved), ...Object.keys(wanted)])].sort();
  const differing = names.filter((name) => saved[name] !== wanted[name]);
  if (differing.length === 0) return;
  const fields = differing.map(
    (name) => `${name} (checkpoint: ${saved[name] ?? "none"}, here: ${wanted[name] ?? "none"})`,
  );
  throw new PraxisError("VALIDATION_ERROR", `The checkpoint does not fit. It differs in ${fields.join(", ")}.`);
}

/**
 * Gives a policy the weights of a checkpoint of whole-episode PPO. Throws VALIDATION_ERROR, changing nothing, for one of another
 * environment, algorithm, architecture or `identity` (such as the embedder).
 */
export function loadRecordedPolicy(
  policy: RecordedPolicy,
  options: { readonly definition: EnvDefinition; readonly checkpoint: Checkpoint; readonly identity?: Identity },
): void {
  const { checkpoint, definition, identity = {} } = options;
  const saved = checkpoint.state as { readonly identity?: Identity };
  checkOrigin(checkpoint, ["ppo"], definition.id);
  if (saved.identity === undefined)
    throw new PraxisError("VALIDATION_ERROR", "The checkpoint is of PPO over fixed steps, not over whole episodes.");
  checkIdentity(saved.identity, { ...policy.identity, ...identity });
  restoreParameters(policy.parameters(), checkpoint.weights);
}

/** A decision with what its maker thinks of it. */
export interface RecordedChoice {
  /** For the environment. */
  readonly action: unknown;
  readonly probability: number;
  readonly valueEstimate: number;
  /** Null for a policy that can't tell. */
  readonly odds: Odds | null;
}

/** Plays one episode at a time by a policy's most likely actions, with a memory of its own. */
export class RecordedPlayer implements Policy {
  readonly name: string;
  readonly #definition: EnvDefinition;
  readonly #policy: RecordedPolicy;
  readonly #tape: Tape;
  readonly #recorder: ReturnType<RecordedPolicy["makeRecorder"]>;
  readonly #projections: ProjectionCache = new Map();
  readonly #annotate: (choice: RecordedChoice) => unknown;
  #memories: Memories;
  #last: RecordedChoice | null = null;

  /** @param options its weights must stay as they are while it plays; `annotate` makes what is played of a choice, by default its action */
  constructor(
    name: string,
    options: {
      readonly definition: EnvDefinition;
      readonly policy: RecordedPolicy;
      readonly kernels: Kernels;
      annotate?(choice: RecordedChoice): unknown;
    },
  ) {
    this.name = name;
    this.#definition = options.definition;
    this.#policy = options.policy;
    this.#tape = new Tape(options.kernels, { recording: false });
    this.#annotate = options.annotate ?? (({ action }) => action);
    this.#recorder = options.policy.makeRecorder();
    this.#memories = options.policy.initialMemories(1);
  }

  /** The last decision since the reset; null before the first. */
  get last(): RecordedChoice | null {
    return this.#last;
  }

  reset(): void {
    this.#last = null;
    this.#recorder.clear();
    this.#projections.clear();
    this.#memories = this.#policy.initialMemories(1);
  }

  act(observation: unknown, info: Info): unknown {
    return this.#annotate(this.decide(observation, info));
  }

  /** {@link RecordedPlayer.act} with the action's probability and the value of the state, for audits. */
  decide(observation: unknown, info: Info): RecordedChoice {
    const { distribution, logDeviations } = this.#policy;
    const numbers = this.#definition.encodeObservation?.(observation, info) ?? observation;
    const records = [this.#recorder.record(Float32Array.from(numbers as ArrayLike<number>), info)];
    this.#tape.reset();
    const output = this.#policy.forward(this.#tape, {
      ...{ steps: 1, batch: 1, records, starts: [0], memories: this.#memories, projections: this.#projections },
    });
    this.#memories = output.memories;
    const masks = new Uint8Array(distribution.maskSize);
    distribution.readMask(info, masks, 0);
    const actions = new Float32Array(distribution.actionSize);
    const head = {
      inputs: output.logits.data,
      masks,
      logDeviations: logDeviations?.data ?? new Float32Array(0),
      row: 0,
    };
    distribution.mode(head, actions);
    const value = distribution.toSpaceValue(actions, 0);
    this.#last = {
      action: this.#definition.decodeAction?.(value, { observation, info }) ?? value,
      probability: Math.min(1, Math.exp(distribution.evaluate(head, actions).logProb)),
      valueEstimate: output.values.data[0]!,
      odds: distribution.odds?.(head) ?? null,
    };
    return this.#last;
  }
}
