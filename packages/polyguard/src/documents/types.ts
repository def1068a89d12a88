/** Kinds of source, from the most to the least reliable. */
export const SOURCE_TYPES = ["label", "guideline", "review", "primary", "blog", "forum"] as const;

/** Kind of a document's source. */
export type SourceType = (typeof SOURCE_TYPES)[number];

/** What a claim is about: one drug, or a pair of drugs. */
export type Predicate = "interaction" | "max_dose" | "renal" | "monitoring" | "indication";

/** One statement of a document. Claims about the same matter share {@link claimMatter}. */
export interface Claim {
  /** drug_id. */
  readonly subject: string;
  readonly predicate: Predicate;
  /** Second drug of an interaction; null otherwise. */
  readonly object: string | null;
  /** `major`, `none`, a number, a list of codes ... */
  readonly value: string;
  readonly unit: string | null;
  /** Holds in the knowledge base. Never shown. */
  readonly isTrue: boolean;
}

/** A claim as a reader takes it from a text: whether it holds is not known. */
export type ReadClaim = Omit<Claim, "isTrue">;

/** An instruction to the reader that some documents hide. */
export interface Injection {
  /** Canonical payload of the action asked for. */
  readonly canonical: string;
  /** Sentence of the text that asks for it. */
  readonly sentence: string;
}

/** A document of a store. What flags and claims say is latent: an agent sees title, source type, year and a snippet. */
export interface EvidenceDocument {
  /** `doc1` ... */
  readonly id: string;
  readonly title: string;
  readonly sourceType: SourceType;
  readonly year: number;
  readonly jurisdiction: "US" | "EU" | "UK";
  readonly text: string;
  readonly claims: readonly Claim[];
  readonly isOutdated: boolean;
  /** Speaks of other patients than older adults. */
  readonly isWrongPopulation: boolean;
  /** null = an honest document. */
  readonly injection: Injection | null;
}

/** Key of the matter that a claim answers: equal for claims that agree or contradict each other. */
export function claimMatter({ subject, predicate, object }: ReadClaim): string {
  const [first, second] = object !== null && object < subject ? [object, subject] : [subject, object];
  return second === null ? `${predicate}:${first}` : `${predicate}:${first}:${second}`;
}
