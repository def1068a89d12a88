import { Rng } from "@praxis/env";
import { ACTION_TYPES } from "../../actions/types.ts";
import { CANDIDATE_FIELDS } from "../../features/layout.ts";
import type { KnowledgeBase } from "../../kb/types.ts";
import type { Observation } from "../../observation/schema.ts";
import type { Miner } from "../mining/miner.ts";
import { declareFound, positionsIn, probeAction } from "../mining/mining-policy.ts";
import { problemOfObservation } from "../mining/problem.ts";
import { StructuredMiner } from "../mining/structured-miner.ts";
import type { Hints, SceneOffer } from "./scene-offer.ts";

type BanditBlock = NonNullable<Observation["bandit"]>;

const TYPE = {
  probe: ACTION_TYPES.indexOf("PROBE_COMBINATION"),
  declare: ACTION_TYPES.indexOf("DECLARE_FINDINGS"),
};
/** Of this many findings a declaration has one. */
const FINDINGS_SCALE = 10;

/** The miner of an episode: what it would probe next and what it would declare, as candidates. Its chance is the task's alone. */
export class MinerReader {
  readonly #kb: KnowledgeBase;
  #miner: Miner | null = null;
  #seen = 0;
  #proposed: readonly (readonly number[])[] | null = null;

  constructor(kb: KnowledgeBase) {
    this.#kb = kb;
  }

  /** The miner after the probes of an observation. A miner is no value: one that joins later plays the same probes again. */
  #after(observation: Observation, bandit: BanditBlock): Miner {
    this.#miner ??= new StructuredMiner(
      problemOfObservation(this.#kb, observation, { ...bandit, population: undefined }),
      Rng.fromSeed(0, `mining/${bandit.drugs.join("+")}`),
    );
    let left = bandit.probes_left + bandit.probes.length - this.#seen;
    while (this.#seen < bandit.probes.length) {
      this.#proposed ??= this.#miner.propose(left);
      for (const _ of this.#proposed) {
        const probe = bandit.probes[this.#seen++];
        if (probe === undefined) break;
        this.#miner.learn(positionsIn(bandit, probe.combination), probe.rr);
        left--;
      }
      this.#proposed = null;
    }
    return this.#miner;
  }

  /** Share of probes left, findings, and mean risk of the last probes, for the situation. */
  situation(bandit: BanditBlock): readonly [left: number, findings: number, risk: number] {
    const last = bandit.probes.slice(-8);
    const total = bandit.probes_left + bandit.probes.length;
    return [
      total === 0 ? 0 : bandit.probes_left / total,
      (this.#miner?.declare().length ?? 0) / FINDINGS_SCALE,
      last.length === 0 ? 0 : last.reduce((sum, { rr }) => sum + rr, 0) / last.length,
    ];
  }

  /** The miner's next probes and a declaration of what it has found, beside what is offered. */
  offers(observation: Observation, bandit: BanditBlock, offered: readonly SceneOffer[]): readonly SceneOffer[] {
    const miner = this.#after(observation, bandit);
    if (bandit.probes_left > 0) this.#proposed ??= miner.propose(bandit.probes_left);
    const proposed = this.#proposed ?? [];
    const findings = miner.declare().length / FINDINGS_SCALE;
    const declare = free(TYPE.declare, {
      hints: { ...advised(proposed.length === 0), "findings declared/10": findings },
      act: (confidence) => ({ ...declareFound(observation, bandit, miner), confidence }),
      matches: ({ action_type: type }) => type === "DECLARE_FINDINGS",
    });
    if (proposed.length === 0) return [...offered, declare];
    const probe = free(TYPE.probe, {
      hints: advised(true),
      act: (confidence) => ({ ...probeAction(observation, bandit, proposed), confidence }),
      matches: ({ action_type: type }) => type === "PROBE_COMBINATION",
    });
    return [...offered, probe, declare];
  }
}

/** The miner is rules and team in one. */
function advised(isAdvised: boolean): Hints {
  return { advised: Number(isAdvised), "advised by the rules": Number(isAdvised) };
}

function free(type: number, offer: Pick<SceneOffer, "hints" | "act" | "matches">): SceneOffer {
  const values = new Array<number>(CANDIDATE_FIELDS.length).fill(0);
  values[type] = 1;
  return {
    ...offer,
    candidateId: null,
    row: { values, targetRef: null, replacement: -1 },
    hints: { ...offer.hints, "free payload": 1 },
    abstains: false,
    payload: null,
  };
}
