import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { canonicalJson, PraxisError } from "@praxis/env";
import type { PlayedUnit } from "./play-units.ts";

/** Units played so far, kept in a file so that an interrupted run goes on where it stopped. */
export class UnitJournal {
  readonly #file: string;
  /** Units that were found, in order from 0. */
  readonly units: readonly PlayedUnit[];

  /**
   * Opens or begins the journal. A line cut off by the interruption is taken away. Throws VALIDATION_ERROR for a journal
   * whose `origin` is another one.
   */
  constructor(file: string, origin: Readonly<Record<string, unknown>>) {
    this.#file = file;
    const head = canonicalJson(origin);
    if (!existsSync(file)) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${head}\n`, { flag: "wx" });
      this.units = [];
      return;
    }
    const bytes = readFileSync(file);
    const whole = bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
    if (whole.length < bytes.length) truncateSync(file, whole.length);
    const [found = "", ...lines] = whole.toString("utf8").split("\n").slice(0, -1);
    if (found !== head)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `'${file}' was begun by another run: it has ${found}, this run has ${head}. Choose another --out.`,
      );
    this.units = lines.map((line) => JSON.parse(line) as PlayedUnit);
  }

  append(unit: PlayedUnit): void {
    appendFileSync(this.#file, `${JSON.stringify(unit)}\n`);
  }

  remove(): void {
    rmSync(this.#file);
  }
}
