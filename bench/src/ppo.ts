import type { Measurement } from "./figures.ts";
import { measureCartPole, measureMemory } from "./ppo-cart-pole.ts";
import { measureRecurrent } from "./ppo-recurrent.ts";
import { installStableBaselines } from "./stable-baselines.ts";

/** PPO beside Stable-Baselines3 and sb3-contrib, and what memory does for it. */
export async function measurePpo(report: (measurement: Measurement) => void): Promise<void> {
  await measureMemory(report);
  const missing = installStableBaselines();
  if (missing !== null) {
    console.log(`ppo.cartpole and ppo.recurrent were not measured: ${missing}`);
    return;
  }
  await measureCartPole(report);
  await measureRecurrent(report);
}
