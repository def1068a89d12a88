import { canonicalPayload } from "./canonical.ts";
import type { ActionPayload, CandidateSource } from "./types.ts";

/** A payload on its way to become a candidate. */
export interface Offer {
  readonly payload: ActionPayload;
  readonly canonical: string;
  readonly source: CandidateSource;
  readonly addresses: readonly string[];
}

/**
 * Collects offers without doubles, in groups: a group is one matter (an alert, an omission ...) and holds its offers from
 * the first choice down. When there are too many, every group keeps its first choices.
 */
export class OfferList {
  readonly #byCanonical = new Map<string, { offer: Offer; group: number; place: number }>();
  readonly #sizes: number[] = [];
  /** Replacements found so far by medication, as one drug may be in several hits. */
  readonly replacements = new Map<string, readonly ActionPayload[]>();

  /** Opens the next group; later offers belong to it. */
  openGroup(): void {
    this.#sizes.push(0);
  }

  /** Adds an offer to the open group unless an equal one is there; then what it addresses is joined. */
  add(payload: ActionPayload, source: CandidateSource, addresses: readonly string[] = []): void {
    const canonical = canonicalPayload(payload);
    const known = this.#byCanonical.get(canonical);
    if (known !== undefined) {
      const fresh = addresses.filter((id) => !known.offer.addresses.includes(id));
      if (fresh.length > 0) known.offer = { ...known.offer, addresses: [...known.offer.addresses, ...fresh] };
      return;
    }
    const group = this.#sizes.length - 1;
    const place = this.#sizes[group]!++;
    this.#byCanonical.set(canonical, { offer: { payload, canonical, source, addresses }, group, place });
  }

  /** True when an equal payload is there. */
  has(payload: ActionPayload): boolean {
    return this.#byCanonical.has(canonicalPayload(payload));
  }

  /** All offers: the first choice of every group, then the second ... */
  ordered(): Offer[] {
    return [...this.#byCanonical.values()]
      .sort((a, b) => a.place - b.place || a.group - b.group)
      .map(({ offer }) => offer);
  }
}
