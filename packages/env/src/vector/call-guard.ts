import { PraxisError } from "../errors.ts";
import { checkSeed } from "../seed.ts";
import type { VectorResetRequest } from "./vector-env.ts";

/** Guards the calls of a vector environment: lengths, one call at a time, closed, and the reset that is due after an error. */
export class VectorCallGuard {
  readonly numEnvs: number;
  #phase: "needsReset" | "running" | "ready" | "closed" = "needsReset";

  constructor(numEnvs: number) {
    if (!(Number.isSafeInteger(numEnvs) && numEnvs >= 1))
      throw new PraxisError("INVALID_CONFIG", `numEnvs must be a positive integer, not ${numEnvs}.`);
    this.numEnvs = numEnvs;
  }

  /** Notes the begin of a reset. Throws, and notes nothing, if it can't be done. */
  beginReset({ seed, mask }: VectorResetRequest): void {
    this.#checkFree();
    if (seed !== undefined) checkSeed(seed);
    if (mask !== undefined) {
      this.#checkLength("mask", mask);
      if (this.#phase === "needsReset")
        throw new PraxisError("RESET_NEEDED", "Reset all environments before resetting some by mask.");
    }
    this.#phase = "running";
  }

  /** Notes the begin of a step. Throws, and notes nothing, if it can't be done. */
  beginStep(actions: ArrayLike<unknown>): void {
    this.#checkFree();
    this.#checkLength("actions", actions);
    if (this.#phase === "needsReset")
      throw new PraxisError("RESET_NEEDED", "No episodes have begun, or a call failed. Reset all environments first.");
    this.#phase = "running";
  }

  /** Notes the begin of a change of reset options. Throws, and notes nothing, if it can't be done. */
  beginOptions(): void {
    this.#checkFree();
    if (this.#phase === "needsReset")
      throw new PraxisError("RESET_NEEDED", "No episodes have begun, or a call failed: hand the options to reset.");
    this.#phase = "running";
  }

  /** Notes the begin of a save. Throws, and notes nothing, if it can't be done. */
  beginSave(): void {
    this.#checkFree();
    if (this.#phase === "needsReset")
      throw new PraxisError("RESET_NEEDED", "No episodes have begun, or a call failed: there is nothing to save.");
    this.#phase = "running";
  }

  /** Notes the begin of a restore. Throws, and notes nothing, if it can't be done. */
  beginRestore(saved: ArrayLike<unknown>): void {
    this.#checkFree();
    if (saved.length !== this.numEnvs)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `${saved.length} environments were saved, this vector has ${this.numEnvs}. Set numEnvs as it was.`,
      );
    this.#phase = "running";
  }

  /** Notes how the call that was begun went. */
  end(succeeded: boolean): void {
    if (this.#phase !== "closed") this.#phase = succeeded ? "ready" : "needsReset";
  }

  /** Notes the close; returns false if it was closed already. */
  close(): boolean {
    const wasOpen = this.#phase !== "closed";
    this.#phase = "closed";
    return wasOpen;
  }

  #checkFree(): void {
    if (this.#phase === "closed")
      throw new PraxisError("RESET_NEEDED", "The vector environment is closed. Make a new one.");
    if (this.#phase === "running")
      throw new PraxisError("SESSION_BUSY", "The last call has not been answered yet. Await it first.");
  }

  #checkLength(what: string, list: ArrayLike<unknown>): void {
    if (list.length !== this.numEnvs)
      throw new PraxisError("VALIDATION_ERROR", `${what} needs ${this.numEnvs} entries, not ${list.length}.`);
  }
}
