import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { EnvRegistry, PraxisError, Rng } from "@praxis/env";
import { connect } from "@praxis/env/remote";
import {
  exportReview,
  loadBundledKnowledgeBase,
  loadPolyGuard,
  makeObservationPolicy,
  OBSERVATION_POLICY_NAMES,
  parseFhirJson,
  type Review,
  renderReviewHtml,
  renderReviewText,
  reviewRecord,
} from "@praxis/polyguard";
import { createServer } from "@praxis/server";
import { type Command, Option } from "commander";
import WebSocket from "ws";
import { findLearned, isLearnedName, LEARNED_POLICIES } from "../learning/learned-places.ts";
import { placedPolicy } from "../learning/placed-policy.ts";
import { CheckFailed } from "../outcome.ts";
import { makeProgress, styled, type Terminal } from "../terminal.ts";

interface ReviewFlags {
  readonly policy: string;
  readonly learned?: string;
  readonly asOf?: string;
  readonly url?: string;
  readonly json?: boolean;
  readonly html?: string;
  readonly fhir?: string;
}

/** Adds `praxis review FILE…`: FHIR bundles in, findings and a course of actions out, played over the OpenEnv wire. */
export function registerReview(program: Command, terminal: Terminal): void {
  program
    .command("review")
    .description(
      "Review the medication lists of FHIR R4 bundles. Each is played by a policy over the OpenEnv protocol, on a server of its own or on --url.\nResearch simulation, not medical advice.\n\n  praxis review examples/patients/bleeding.json --html report.html",
    )
    .argument("<file...>", "FHIR R4 Bundles as JSON")
    .addOption(
      new Option("--policy <name>", "policy that plays")
        .choices([...OBSERVATION_POLICY_NAMES, ...LEARNED_POLICIES])
        .default("rule_based"),
    )
    .option(
      "--learned <folder>",
      "pipeline whose policies base, sft and grpo play; default those that ship with PolyGuard",
    )
    .option("--as-of <date>", "day of the review, ISO 8601 (default: the bundle's timestamp)")
    .option("--url <url>", "PolyGuard on a running server, like http://127.0.0.1:8000/polyguard")
    .option("--json", "one JSON document: a list of reviews and of files that could not be reviewed")
    .option("--html <file>", "write a report as HTML")
    .option("--fhir <file>", "write findings and proposals of one bundle as a FHIR R4 Bundle")
    .action(async (files: string[], flags: ReviewFlags) => {
      if (flags.fhir !== undefined && files.length !== 1)
        throw new PraxisError("INVALID_CONFIG", `--fhir writes one review; ${files.length} files were given.`);
      const policy = isLearnedName(flags.policy)
        ? await placedPolicy({ name: flags.policy, folder: findLearned(flags.policy, flags.learned), ablation: "none" })
        : makeObservationPolicy(flags.policy);
      const server =
        flags.url === undefined ? createServer({ registry: new EnvRegistry([loadPolyGuard()]), port: 0 }) : null;
      const baseUrl = flags.url ?? (await server!.listen()).url;
      const reviews: { name: string; review: Review }[] = [];
      const failures: { name: string; code: string; message: string }[] = [];
      const progress = makeProgress(terminal, "Reviewed");
      try {
        const env = await connect({ baseUrl, webSocket: WebSocket as unknown as typeof globalThis.WebSocket });
        try {
          for (const [done, file] of files.entries()) {
            progress.step(done, files.length);
            try {
              const bundle = parseFhirJson(readText(file));
              const review = await reviewRecord(env, {
                bundle,
                asOf: flags.asOf,
                policy,
                rng: Rng.fromSeed(0, "review"),
              });
              reviews.push({ name: basename(file), review });
            } catch (error) {
              if (!(error instanceof PraxisError)) throw error;
              failures.push({ name: basename(file), code: error.code, message: error.message });
            }
          }
        } finally {
          await env.close();
        }
      } finally {
        progress.end();
        await server?.close();
      }
      if (flags.json === true) terminal.out(JSON.stringify({ reviews, failures }, null, 2));
      else {
        for (const { name, review } of reviews)
          terminal.out(`${styled(terminal, "bold", `=== ${name}`)}\n${renderReviewText(review)}\n`);
        for (const { name, code, message } of failures)
          terminal.out(`${styled(terminal, "bold", `=== ${name}`)}\nnot reviewed: ${code}: ${message}\n`);
      }
      if (flags.html !== undefined) {
        writeFileSync(flags.html, renderReviewHtml(reviews));
        terminal.err(`Report written to ${flags.html}.`);
      }
      if (flags.fhir !== undefined && reviews[0] !== undefined) {
        const bundle = exportReview(loadBundledKnowledgeBase(), reviews[0].review);
        writeFileSync(flags.fhir, `${JSON.stringify(bundle, null, 2)}\n`);
        terminal.err(`FHIR Bundle of ${bundle.entry.length} resources written to ${flags.fhir}.`);
      }
      if (failures.length > 0)
        throw new CheckFailed(`${failures.length} of ${files.length} files could not be reviewed.`);
    });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new PraxisError("INVALID_FHIR", `Can't read '${file}': ${(cause as Error).message}.`, { cause });
  }
}
