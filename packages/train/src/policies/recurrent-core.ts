import { type Kernels, Lstm, type RandomSource, uniform } from "@praxis/nn";

/** An LSTM of one layer as this package's recurrent policies begin with: uniform on ±1/√hidden, forget gates open by 1. */
export function makeRecurrentCore(options: {
  readonly kernels: Kernels;
  readonly rng: RandomSource;
  readonly name: string;
  readonly inputs: number;
  readonly hidden: number;
}): Lstm {
  const initialise = uniform(1 / Math.sqrt(options.hidden));
  const lstm = new Lstm({ ...options, initialise, initialiseBias: initialise });
  const { bias } = lstm.layers[0]!;
  // Gates stand in the order i, f, g, o (Gers, Schmidhuber and Cummins 2000; Jozefowicz et al. 2015 for the bias of 1).
  for (let j = options.hidden; j < 2 * options.hidden; j++) bias.data[j]! += 1;
  return lstm;
}
