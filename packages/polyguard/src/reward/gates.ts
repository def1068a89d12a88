/** A gate that lowered the reward, in the order they are applied. */
export type GateName = "unparsable" | "hard_illegal" | "hard_exploit" | "latent_contraindication" | "net_harm" | "idle";

/** What the gates look at. */
export interface GateInput {
  readonly isUnparsable: boolean;
  readonly isHardIllegal: boolean;
  readonly isHardExploit: boolean;
  /** The action created a contraindicated hit by latent truth although it was legal on known facts. */
  readonly createsLatentContraindication: boolean;
  /** The larger of H(a) - H(keep) and U(keep) - U(a), course values with the change cost: burden without a gain is harm too. */
  readonly netHarm: number;
  /** KEEP, CONTINUE or FINISH beside an unmanaged contraindicated or major hit, without a need to abstain. */
  readonly isIdle: boolean;
}

/** Applies the gates in order and names those that bound. */
export function applyGates(reward: number, input: GateInput): { readonly reward: number; readonly bound: GateName[] } {
  const bound: GateName[] = [];
  let result = reward;
  const limit = (name: GateName, highest: number): void => {
    if (result > highest) {
      result = Math.round(highest * 1000) / 1000;
      bound.push(name);
    }
  };
  if (input.isUnparsable) limit("unparsable", 0.05);
  if (input.isHardIllegal) limit("hard_illegal", 0.15);
  if (input.isHardExploit) limit("hard_exploit", 0.001);
  if (input.createsLatentContraindication) limit("latent_contraindication", 0.45);
  if (input.netHarm > 0.002) limit("net_harm", Math.max(0.15, 0.48 - 4 * (input.netHarm - 0.002)));
  if (input.isIdle) limit("idle", 0.5);
  return { reward: result, bound };
}
