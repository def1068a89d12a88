import { type Info, PraxisError, type Space } from "@praxis/env";

/** Whether any mask is needed of a space: the number of its maskable choices. */
function maskSize(space: Space): number {
  switch (space.kind) {
    case "discrete":
    case "multiBinary":
      return space.n;
    case "multiDiscrete":
      return space.nvec.reduce((sum, n) => sum + n, 0);
    case "box":
      return 0;
    case "dict":
      return Object.values(space.spaces).reduce((sum, part) => sum + maskSize(part), 0);
  }
}

/**
 * Writes `info.actionMask` as 0 and 1 into row `row` of `masks` [rows, size of the space's mask]; without a mask all is
 * legal. A list fills the whole row; a record has one list per entry of a dict space, and what it leaves out is legal.
 * Throws VALIDATION_ERROR naming the length that does not fit.
 */
export function readActionMask(space: Space, info: Info, masks: Uint8Array, row: number): void {
  const size = maskSize(space);
  const target = masks.subarray(row * size, (row + 1) * size);
  target.fill(1);
  const mask = info.actionMask;
  if (mask === undefined) return;
  const write = (list: readonly boolean[], at: number, length: number, where: string): void => {
    if (list.length !== length)
      throw new PraxisError(
        "VALIDATION_ERROR",
        `${where} has ${list.length} entries; the action space needs ${length}.`,
      );
    for (let j = 0; j < length; j++) target[at + j] = list[j] ? 1 : 0;
  };
  if (Array.isArray(mask)) {
    write(mask, 0, size, "actionMask");
    return;
  }
  const lists = mask as Readonly<Record<string, readonly boolean[]>>;
  const parts = space.kind === "dict" ? Object.entries(space.spaces) : [];
  const unknown = Object.keys(lists).find((name) => !parts.some(([part]) => part === name));
  if (unknown !== undefined)
    throw new PraxisError("VALIDATION_ERROR", `actionMask.${unknown} names no part of the action space.`);
  let at = 0;
  for (const [name, part] of parts) {
    const length = maskSize(part);
    if (lists[name] !== undefined) write(lists[name], at, length, `actionMask.${name}`);
    at += length;
  }
}
