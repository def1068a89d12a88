import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Rng } from "@praxis/env";
import { type CdsOptions, cdsServices } from "./cds/services.ts";
import { definePolyGuard, type PolyGuardDefinition, type PolyGuardOptions } from "./definition.ts";
import { brandNames, type OtherNames } from "./evaluation/perturbations.ts";
import { exportReview } from "./fhir/export.ts";
import { parseFhirJson } from "./fhir/json-text.ts";
import type { Review } from "./fhir/review-types.ts";
import { loadBundledKnowledgeBase } from "./kb/node.ts";
import { makeObservationPolicy } from "./policies/index.ts";
import { reviewRecord } from "./review.ts";
import { renderReviewHtml } from "./review-html.ts";

/** What {@link loadPolyGuard} may be told. */
export interface BundledOptions extends PolyGuardOptions {
  /** For the CDS Hooks services; by default they judge as of the newest date sent, and feedback is only checked. */
  readonly cds?: Partial<CdsOptions>;
}

/** Folder of the learned policies that ship with the package, one folder each. Node only. */
export function checkpointsFolder(): string {
  // `../` is right from src and from dist alike.
  return fileURLToPath(new URL("../checkpoints", import.meta.url));
}

/**
 * PolyGuard-v0 on the tables that ship with the package, with synonyms for records, the services `POST /review` (FHIR
 * Bundle in, review by the rule-based agent out), `/review/html` and `/review/fhir` and CDS Hooks 2.0 under `/cds-services`. Node only.
 */
export function loadPolyGuard({ cds, ...options }: BundledOptions = {}): PolyGuardDefinition {
  const kb = loadBundledKnowledgeBase();
  // `../` is right from src and from dist alike.
  const definition = definePolyGuard(kb, {
    readme: readFileSync(new URL("../README.md", import.meta.url), "utf8"),
    readPack: (task) => readFileSync(new URL(`../scenarios/${task}.yaml`, import.meta.url), "utf8"),
    ...options,
  });
  const review = async (body: string): Promise<Review> => {
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
  };
  return {
    ...definition,
    metadata: { ...definition.metadata, review: true, cds_hooks: "2.0" },
    services: [
      {
        method: "POST",
        path: "/review",
        description: "Review the medication list of a FHIR R4 Bundle with the rule-based agent.",
        call: review,
      },
      {
        method: "POST",
        path: "/review/html",
        description: "The same review as a page that stands alone, in `html`.",
        call: async (body) => ({ html: renderReviewHtml([{ name: "bundle", review: await review(body) }]) }),
      },
      {
        method: "POST",
        path: "/review/fhir",
        description: "The same review as a FHIR R4 Bundle.",
        call: async (body) => exportReview(kb, await review(body)),
      },
      ...cdsServices(kb, {
        today: () => null,
        onFeedback: () => undefined,
        ...cds,
      }),
    ],
  };
}

/** Brand names of the drugs that ship with the package, by drug_id. Node only. */
export function loadBundledBrandNames(): OtherNames {
  return brandNames(loadBundledKnowledgeBase());
}
