import { didYouMean, type EnvDefinition, type ResetRequest } from "@praxis/env";
import { z } from "zod";
import { parseLax } from "./lax-parse.ts";

/** What a reset was asked with, ready for the session. */
interface ParsedReset {
  readonly request: ResetRequest;
  /** One sentence for each option that the environment does not know. */
  readonly warnings: readonly string[];
}

/** Keywords of the envelope, which never reach the environment as options. */
const ENVELOPE_KEYS: ReadonlySet<string> = new Set(["seed", "episode_id", "session_id", "request_id"]);
const PLAIN: ParsedReset = { request: {}, warnings: [] };

/** The envelope of reset, as OpenEnv checks it. */
export const resetEnvelope = z.looseObject({
  seed: z.int().min(0).nullish(),
  episode_id: z.string().max(255).nullish(),
});

/** Reads the keywords of one environment's resets. */
export type ResetParser = (keywords: Record<string, unknown>, prefix?: readonly string[]) => ParsedReset;

/**
 * Makes the reader of an environment's reset keywords: seed, episode id and the options of its reset schema. Options it does not
 * know are left out, as OpenEnv does, but told. The reader throws VALIDATION_ERROR naming the field (after `prefix`).
 */
export function makeResetParser(definition: EnvDefinition): ResetParser {
  const schema = definition.schemas.reset;
  const known = Object.keys(schema.shape);
  return (keywords, prefix = []) => {
    const keys = Object.keys(keywords);
    if (keys.length === 0) return PLAIN;
    const { seed, episode_id: episodeId } = parseLax(resetEnvelope, keywords, prefix);
    const options: Record<string, unknown> = {};
    const warnings: string[] = [];
    for (const key of keys) {
      if (ENVELOPE_KEYS.has(key)) continue;
      if (known.includes(key)) {
        // Python clients send None for what was left at its default.
        const isDefault = keywords[key] === null && !schema.shape[key]!.safeParse(null).success;
        if (!isDefault) options[key] = keywords[key];
      } else warnings.push(`Unknown reset option '${key}' was ignored.${didYouMean(key, known)}`);
    }
    return {
      request: {
        ...(seed === null || seed === undefined ? {} : { seed }),
        ...(episodeId === null || episodeId === undefined ? {} : { episodeId }),
        options: parseLax(schema, options, prefix),
      },
      warnings,
    };
  };
}
