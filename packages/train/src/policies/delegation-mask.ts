import { type Info, PraxisError } from "@praxis/env";
import { DELEGATION_MODES, META_ACTIONS } from "./delegation-action.ts";

/** Where the parts of a stored delegation mask stand: meta-actions, slots, modes, leads, consultees [lead, slot]. */
export function delegationMaskAt(slots: number) {
  const modes = META_ACTIONS.length + slots;
  const leads = modes + DELEGATION_MODES.length;
  const consult = leads + slots;
  return { meta: 0, slots: META_ACTIONS.length, modes, leads, consult, size: consult + slots * slots };
}

/** A mask as an environment gives it, `consult` row by row or as one list. */
type GivenMask = Readonly<Record<string, readonly (boolean | number | readonly (boolean | number)[])[]>>;

/**
 * Writes `info.actionMask` with its lists `meta`, `slots`, `modes`, `leads` and `consult` into row `row` of `masks`. What it leaves
 * out is legal, but that nobody consults himself. Throws VALIDATION_ERROR naming a list that is unknown or of wrong length.
 */
export function readDelegationMask(info: Info, slots: number, masks: Uint8Array, row: number): void {
  const at = delegationMaskAt(slots);
  const target = masks.subarray(row * at.size, (row + 1) * at.size).fill(1);
  for (let j = 0; j < slots; j++) target[at.consult + j * slots + j] = 0;
  const given = info.actionMask as GivenMask | undefined;
  if (given === undefined) return;
  const parts = {
    meta: [at.meta, META_ACTIONS.length],
    slots: [at.slots, slots],
    modes: [at.modes, DELEGATION_MODES.length],
    leads: [at.leads, slots],
    consult: [at.consult, slots * slots],
  } as const;
  for (const [name, value] of Object.entries(given)) {
    const part = parts[name as keyof typeof parts];
    if (part === undefined)
      throw new PraxisError("VALIDATION_ERROR", `actionMask.${name} is none of ${Object.keys(parts).join(", ")}.`);
    const [from, length] = part;
    const list = value.flat();
    if (list.length !== length)
      throw new PraxisError("VALIDATION_ERROR", `actionMask.${name} has ${list.length} entries; ${length} are needed.`);
    for (let j = 0; j < length; j++) target[from + j] = list[j] ? 1 : 0;
  }
}
