import { didYouMean } from "@praxis/env";
import { z } from "zod";
import {
  ARCHETYPES,
  type Archetype,
  type BankSpecialist,
  SENIORITIES,
  SKILL_COUNT,
  type Skill,
  TASK_CLASSES,
} from "./bank.ts";
import type { NamedText } from "./sector-words.ts";
import { readYamlFile } from "./yaml-file.ts";

const id = z.string().regex(/^[a-z][a-z0-9_]*$/, "an id is lower-case letters, digits and underscores");

const catalogSchema = z.strictObject({
  version: z.literal(1),
  sector: id,
  contradiction_pairs: z.array(z.tuple([z.string().min(1), z.string().min(1)])).default([]),
  defaults: z.strictObject({ fallback_generalist: z.boolean().default(true) }).prefault({}),
  specialists: z
    .array(
      z.strictObject({
        id,
        role: z.string().min(2),
        description: z.string().trim().min(10),
        complexity_affinity: z.array(z.enum(TASK_CLASSES)).min(1),
        avg_latency_ms: z.number().int().min(100).max(120_000),
        cost_per_call: z.number().min(0),
        fallback_to: z.array(id).default([]),
        flow_agent: id.optional(),
        profile: z
          .strictObject({
            archetype: z.enum(ARCHETYPES),
            claims: z.union([z.literal("all"), z.array(z.string()).min(1)]),
            seniority: z.enum(SENIORITIES),
            marketing: z.boolean().default(false),
            experimental: z.boolean().default(false),
          })
          .optional(),
      }),
    )
    .min(1),
});

/** A catalog file, checked: who can be called in a company. */
export interface Catalog {
  readonly sector: string;
  /** Pairs of words that contradict each other. */
  readonly contradictions: readonly (readonly [string, string])[];
  /** Whether a general helper stands in when no named substitute can. */
  readonly fallbackGeneralist: boolean;
  readonly specialists: readonly CatalogSpecialist[];
}

/** One entry of a {@link Catalog}. */
export interface CatalogSpecialist extends Omit<BankSpecialist, "row" | "split" | "handWritten"> {
  /** Agent of a flow file that plays this specialist in the live backend. */
  readonly flowAgent: string | null;
}

/** Phrases a skill that a text of an archetype has; hand-written texts are taken to have as many. */
const PHRASES: Readonly<Record<Archetype, number>> = { deep: 5, broad: 3, generalist: 1, overclaimer: 3 };

/**
 * Reads a catalog file (version 1). Profiles, by which specialists are simulated, name skills of `skills`; every entry needs
 * one. Throws INVALID_CONFIG with file and line of every problem: syntax, missing, unknown or ill-typed keys, ids that stand
 * twice, substitutes and skills that do not exist.
 */
export function parseCatalog({ file, text }: NamedText, skills: readonly Skill[]): Catalog {
  const { value, problem, finish } = readYamlFile(file, text, catalogSchema);
  const ids = value.specialists.map((entry) => entry.id);
  const names = skills.map(({ name }) => name);
  const specialists = value.specialists.map((entry, i): CatalogSpecialist | null => {
    const at = ["specialists", i] as const;
    if (ids.indexOf(entry.id) < i) {
      problem("E209", [...at, "id"], `'${entry.id}' is also the id of specialist ${ids.indexOf(entry.id) + 1}`);
    }
    entry.fallback_to.forEach((other, k) => {
      if (other === entry.id) problem("E203", [...at, "fallback_to", k], `'${other}' can't stand in for itself`);
      else if (!ids.includes(other)) {
        problem(
          "E203",
          [...at, "fallback_to", k],
          `'${other}' is no specialist of this file.${didYouMean(other, ids)}`,
        );
      }
    });
    if (entry.profile === undefined) {
      problem("E201", [...at, "profile"], `'${entry.id}' has no profile, by which it would be simulated`);
      return null;
    }
    const { archetype, claims, seniority, marketing, experimental } = entry.profile;
    const indices = (claims === "all" ? names : claims).map((name, k) => {
      const index = names.indexOf(name);
      if (index < 0) {
        problem(
          "E251",
          [...at, "profile", "claims", k],
          `'${name}' is no skill of the sector.${didYouMean(name, names)}`,
        );
      }
      return index;
    });
    if (archetype === "generalist" && indices.length !== SKILL_COUNT) {
      problem("E208", [...at, "profile", "claims"], "a generalist claims all skills");
    }
    return {
      id: entry.id,
      role: entry.role,
      text: entry.description.replace(/\s+/g, " "),
      archetype,
      claims: [...new Set(indices)].sort((a, b) => a - b),
      phrasesPerSkill: PHRASES[archetype],
      seniority,
      experimental,
      marketing,
      latencyMs: entry.avg_latency_ms,
      cost: entry.cost_per_call,
      affinity: entry.complexity_affinity,
      fallbackTo: entry.fallback_to,
      flowAgent: entry.flow_agent ?? null,
    };
  });
  finish();
  return {
    sector: value.sector,
    contradictions: value.contradiction_pairs,
    fallbackGeneralist: value.defaults.fallback_generalist,
    specialists: specialists.filter((entry) => entry !== null),
  };
}
