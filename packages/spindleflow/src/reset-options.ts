import { z } from "zod";
import { TASK_CLASSES } from "./bank/bank.ts";
import { PRESETS } from "./config.ts";

/** Reset options; all may be left out. */
export const resetSchema = z.object({
  taskText: z.string().min(1).max(4000).optional().describe("one task by its text"),
  taskTexts: z
    .array(z.string().min(1).max(4000))
    .min(1)
    .max(20)
    .optional()
    .describe("the shift's tasks by their texts"),
  tasksPerEpisode: z.int().min(1).max(20).optional(),
  class: z.enum(TASK_CLASSES).optional().describe("draw tasks of this class only"),
  rosterIds: z.array(z.string()).min(1).max(8).optional().describe("who sits in the slots, in order"),
  phase: z.int().min(1).max(3).optional().describe("phase of the curriculum"),
  tier: z.int().min(0).max(3).optional().describe("judge of the whole episode; default by the median task's class"),
  preset: z.enum(PRESETS).optional(),
  encoding: z.enum(["array", "base64"]).optional().describe("vector as numbers (default) or as base64 of float32"),
  audit: z.boolean().optional().describe("keep a hash chain of every step; its head is in info.auditHead"),
  learningState: z
    .looseObject({ version: z.literal(1) })
    .optional()
    .describe("path counts across episodes, read-only during the episode; default none"),
});

/** Parsed reset options. */
export type ResetOptions = z.output<typeof resetSchema>;
