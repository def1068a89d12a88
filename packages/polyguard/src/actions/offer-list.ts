import { isSameAction } from "./canonical.ts";
import type { ActionPayload, CandidateSource } from "./types.ts";

/** A payload on its way to become a candidate. */
export interface Offer {
  readonly payload: ActionPayload;
  readonly source: CandidateSource;
  readonly addresses: readonly string[];
}

/** An offer that may still be joined by what else it addresses. */
interface Entry {
  readonly payload: ActionPayload;
  /** Of the payload; beside it, as reading it from objects of many shapes is slow. */
  readonly type: ActionPayload["type"];
  readonly source: CandidateSource;
  addresses: readonly string[];
}

/**
 * Collects offers without doubles, in groups: a group is one matter (an alert, an omission ...) and holds its offers from
 * the first choice down. When there are too many, every group keeps its first choices.
 */
export class OfferList {
  readonly #entries: Entry[] = [];
  readonly #groups: Entry[][] = [];
  /** Replacements found so far by medication, as one drug may be in several hits. */
  readonly replacements = new Map<string, readonly ActionPayload[]>();

  /** Opens the next group; later offers belong to it. */
  openGroup(): void {
    this.#groups.push([]);
  }

  /** Adds an offer to the open group unless an equal one is there; then what it addresses is joined. */
  add(payload: ActionPayload, source: CandidateSource, addresses: readonly string[] = NOTHING): void {
    const known = this.#find(payload);
    if (known === null) {
      const entry: Entry = { payload, type: payload.type, source, addresses };
      this.#entries.push(entry);
      this.#groups[this.#groups.length - 1]!.push(entry);
    } else for (const id of addresses) if (!known.addresses.includes(id)) known.addresses = [...known.addresses, id];
  }

  /** True when an equal payload is there. */
  has(payload: ActionPayload): boolean {
    return this.#find(payload) !== null;
  }

  /** All offers: the first choice of every group, then the second ... */
  ordered(): Offer[] {
    const ordered: Offer[] = [];
    for (let place = 0; ordered.length < this.#entries.length; place++)
      for (const group of this.#groups) if (place < group.length) ordered.push(group[place]!);
    return ordered;
  }

  #find(payload: ActionPayload): Entry | null {
    const { type } = payload;
    for (const entry of this.#entries) if (entry.type === type && isSameAction(entry.payload, payload)) return entry;
    return null;
  }
}

const NOTHING: readonly string[] = [];
