import { readFileSync } from "node:fs";
import { BankIndex } from "./bank/bank-index.ts";
import { loadBank } from "./bank/load-bank.ts";
import { defineSpindleFlow, type SpindleFlowDefinition, type SpindleFlowOptions } from "./definition.ts";
import type { SpindleFlowParts } from "./env.ts";
import { type PriceTable, parsePrices } from "./meter.ts";

/** What {@link loadSpindleFlow} may be told. */
export interface LoadSpindleFlowOptions extends SpindleFlowOptions {
  /** Sector whose bank is used; default software engineering. */
  readonly sector?: string;
}

/** SpindleFlow-v0 on a text bank that ships with the package. Node only. Throws as `loadBank` does. */
export function loadSpindleFlow({
  sector = "software_engineering",
  ...options
}: LoadSpindleFlowOptions = {}): SpindleFlowDefinition {
  // `../` is right from src and from dist alike.
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  return defineSpindleFlow(loadBank(sector), { readme, ...options });
}

/** Prices that ship with the package. Node only. */
export function loadPrices(): PriceTable {
  return parsePrices(readFileSync(new URL("../data/prices.yaml", import.meta.url), "utf8"));
}

/** What audits and baselines work on: a sector's bank with settings. Node only. Throws as `loadBank` does. */
export function loadSpindleFlowParts({
  sector = "software_engineering",
  settings = {},
}: Pick<LoadSpindleFlowOptions, "sector" | "settings"> = {}): SpindleFlowParts {
  return { index: new BankIndex(loadBank(sector)), settings };
}
