import { PraxisError } from "@praxis/env";
import { grpoSettings, sftSettings, smallAgentSettings } from "@praxis/train";
import { z } from "zod";

/** Settings of a run of `praxis sft`: those of training and of the policy. */
export const sftRunSettings = z.strictObject({ ...sftSettings.shape, ...smallAgentSettings.shape });
/** Settings of a run of `praxis grpo`: those of training and of the policy. */
export const grpoRunSettings = z.strictObject({ ...grpoSettings.shape, ...smallAgentSettings.shape });

/** A part of a run's settings with defaults. Throws INVALID_CONFIG naming the setting that does not fit. */
export function settingsFor<Schema extends z.ZodObject>(
  schema: Schema,
  settings: Readonly<Record<string, unknown>>,
): z.output<Schema> {
  const own = Object.fromEntries(Object.entries(settings).filter(([name]) => name in schema.shape));
  const parsed = schema.safeParse(own);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new PraxisError("INVALID_CONFIG", `Setting '${path.join(".")}': ${message}.`);
}
