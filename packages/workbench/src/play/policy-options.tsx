import type { Policies } from "./policy-player.ts";

/** Said beside an oracle's name. */
export const ORACLE_NOTE = "(oracle: reads the hidden truth)";

/** The choices of a select of policies, oracles marked as what they are. */
export function PolicyOptions({ policies: { names, oracles } }: { readonly policies: Policies }) {
  return names.map((name) => (
    <option key={name} value={name}>
      {oracles.has(name) ? `${name} ${ORACLE_NOTE}` : name}
    </option>
  ));
}
