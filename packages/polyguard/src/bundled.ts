import { readFileSync } from "node:fs";
import { Rng } from "@praxis/env";
import { definePolyGuard, type PolyGuardDefinition, type PolyGuardOptions } from "./definition.ts";
import { parseFhirJson } from "./fhir/json-text.ts";
import { loadBundledKnowledgeBase } from "./kb/node.ts";
import { makeObservationPolicy } from "./policies/index.ts";
import { reviewRecord } from "./review.ts";

/**
 * PolyGuard-v0 on the tables that ship with the package, with synonyms for records and the service `POST /review` (FHIR
 * Bundle in, review by the rule-based agent out). Node only.
 */
export function loadPolyGuard(options: PolyGuardOptions = {}): PolyGuardDefinition {
  const kb = loadBundledKnowledgeBase();
  // `../` is right from src and from dist alike.
  const definition = definePolyGuard(kb, {
    readme: readFileSync(new URL("../README.md", import.meta.url), "utf8"),
    synonyms: readFileSync(new URL("../data/synonyms.tsv", import.meta.url), "utf8"),
    readPack: (task) => readFileSync(new URL(`../scenarios/${task}.yaml`, import.meta.url), "utf8"),
    ...options,
  });
  return {
    ...definition,
    metadata: { ...definition.metadata, review: true },
    services: [
      {
        method: "POST",
        path: "/review",
        description: "Review the medication list of a FHIR R4 Bundle with the rule-based agent.",
        async call(body) {
          const env = definition.makeEnv();
          try {
            return await reviewRecord(env, {
              bundle: parseFhirJson(body),
              policy: makeObservationPolicy("rule_based", kb),
              rng: Rng.fromSeed(0, "review"),
            });
          } finally {
            env.close();
          }
        },
      },
    ],
  };
}
