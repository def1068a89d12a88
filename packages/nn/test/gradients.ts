import { expect } from "vitest";
import "./allclose.ts";
import { type Kernels, type Module, type Parameter, sizeOf, Tape, type Tensor } from "../src/index.ts";
import { fastSets, reference } from "./kernel-sets.ts";
import { randomValues, seeded } from "./random.ts";

export interface GradientCase {
  /** Shapes of the inputs that want a gradient; filled with normal values. */
  readonly inputs: readonly (readonly number[])[];
  /** Makes the layer in a kernel set and returns its parameters and its forward pass. */
  readonly make: (kernels: Kernels) => {
    readonly module: Module | null;
    readonly forward: (tape: Tape, inputs: readonly Tensor[]) => Tensor;
  };
  /** Half the step of the central difference, default 1e-2. */
  readonly step?: number;
}

const SAMPLES = 12;

/**
 * Checks a layer's backward pass: against central differences of Σ w · y with random w, in the reference kernels, which
 * compute in float64; and every fast kernel set, output and all gradients, against the reference.
 */
export function expectGradients({ inputs, make, step = 1e-2 }: GradientCase): void {
  const values = inputs.map((shape, i) => randomValues(100 + i, sizeOf(shape)));
  const run = (kernels: Kernels) => {
    const { module, forward } = make(kernels);
    const parameters: readonly Parameter[] = module?.parameters() ?? [];
    const tape = new Tape(kernels);
    const tensors = inputs.map((shape, i) => tape.input(shape, values[i]!, true));
    const y = forward(tape, tensors);
    const weights = randomValues(7, y.data.length);
    tape.seed(y, weights);
    tape.backward();
    const loss = () => {
      const again = new Tape(kernels, { recording: false });
      const out = forward(
        again,
        inputs.map((shape, i) => again.input(shape, values[i]!)),
      );
      return out.data.reduce((sum, v, i) => sum + v * weights[i]!, 0);
    };
    const gradients = [...tensors.map((t) => tape.gradientOf(t)), ...parameters.map((p) => p.gradient)];
    return { output: y.data, gradients, variables: [...values, ...parameters.map((p) => p.data)], loss };
  };

  const expected = run(reference);
  const rng = seeded(5);
  expected.variables.forEach((variable, v) => {
    const gradient = expected.gradients[v]!;
    for (let s = 0; s < SAMPLES; s++) {
      const i = Math.floor(rng.uniform() * variable.length);
      const before = variable[i]!;
      variable[i] = before + step;
      const [up, high] = [variable[i]!, expected.loss()];
      variable[i] = before - step;
      const [down, low] = [variable[i]!, expected.loss()];
      variable[i] = before;
      expect([gradient[i]!], `variable ${v}, element ${i}`).toBeAllclose([(high - low) / (up - down)], {
        rtol: 1e-2,
        atol: 5e-3,
      });
    }
  });
  for (const kernels of fastSets) {
    const actual = run(kernels);
    expect(actual.output).toBeAllclose(expected.output, { rtol: 1e-4, atol: 1e-4 });
    actual.gradients.forEach((gradient, i) => {
      expect(gradient, `${kernels.description}, gradient ${i}`).toBeAllclose(expected.gradients[i]!, {
        rtol: 1e-3,
        atol: 1e-3,
      });
    });
  }
}
