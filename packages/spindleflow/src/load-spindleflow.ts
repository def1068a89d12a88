import { readFileSync } from "node:fs";
import { loadBank } from "./bank/load-bank.ts";
import { defineSpindleFlow, type SpindleFlowDefinition, type SpindleFlowOptions } from "./definition.ts";
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
