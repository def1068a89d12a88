/** Sectors with a bank of their own. */
export const SECTORS = ["software_engineering", "clinical_operations", "legal_review", "data_journalism"] as const;
/** Name of a sector. */
export type Sector = (typeof SECTORS)[number];

/** Complexity classes of tasks, from light to heavy; an index into this list is a class everywhere. */
export const TASK_CLASSES = ["atomic", "simple", "moderate", "complex", "enterprise"] as const;
/** Name of a complexity class. */
export type TaskClass = (typeof TASK_CLASSES)[number];

/** How the parts of a task hang together; decides which delegation mode fits. */
export const SHAPES = ["chain", "separable", "join", "refine", "open", "diagnostic"] as const;
/** Name of a task shape. */
export type Shape = (typeof SHAPES)[number];

/** Parts of the bank: 80, 10 and 10 % of the tasks; 384, 64 and 64 of the specialists. */
export const BANK_SPLITS = ["train", "validation", "test"] as const;
/** Name of a part. */
export type BankSplit = (typeof BANK_SPLITS)[number];

/** How a specialist text came about. */
export const ARCHETYPES = ["deep", "broad", "generalist", "overclaimer"] as const;
/** Name of an archetype. */
export type Archetype = (typeof ARCHETYPES)[number];

/** Seniority that a specialist text states. */
export const SENIORITIES = ["junior", "mid", "senior"] as const;
/** Name of a seniority. */
export type Seniority = (typeof SENIORITIES)[number];

/** Skills of a sector. */
export const SKILL_COUNT = 12;
/** Desks of a sector: desk `d` serves skills d, d + 1 and d + 2 on the ring of {@link SKILL_COUNT}. */
export const DESK_COUNT = 12;
/** Skills of a desk. */
export const DESK_SKILLS = 3;

/** The skills of a desk, three neighbours on the ring. */
export function skillsOfDesk(desk: number): readonly [number, number, number] {
  return [desk % SKILL_COUNT, (desk + 1) % SKILL_COUNT, (desk + 2) % SKILL_COUNT];
}

/** The skill outside the desk by which people of a desk wrongly call a house need: fixed per desk and need. */
export function mistakenName(desk: number, houseNeed: number): number {
  // assumption: 4, 5 or 6 places on from the desk's first skill, never inside the desk, another one for each need.
  return (desk + DESK_SKILLS + 1 + ((houseNeed - desk + SKILL_COUNT) % SKILL_COUNT)) % SKILL_COUNT;
}

/** A skill of a sector with the phrases by which texts name it. */
export interface Skill {
  /** Index into the sector's list, 0 … 11; neighbours on the ring share desks. */
  readonly index: number;
  /** Stable word, `[a-z_]+`. */
  readonly name: string;
  /** Ten phrases of one or two words; the last two occur in texts of the split `test` only. */
  readonly phrases: readonly string[];
}

/** Word lists of a sector; texts are made of these and of skill phrases. */
export interface SectorWords {
  readonly junior: readonly string[];
  readonly mid: readonly string[];
  readonly senior: readonly string[];
  readonly marketing: readonly string[];
  readonly experimental: readonly string[];
  readonly urgent: readonly string[];
  readonly vague: readonly string[];
  readonly classes: Readonly<Record<TaskClass, readonly string[]>>;
  readonly shapes: Readonly<Record<Shape, readonly string[]>>;
  readonly fillers: readonly string[];
  /** Assumptions that the decomposer appends to an ambiguous text, in the sector's own words. */
  readonly defaultAssumptions: string;
  /** Pairs of words that contradict each other when two outputs use one each on the same subject. */
  readonly contradictions: readonly (readonly [string, string])[];
}

/** Word lists that say something about a person or a task and have a vector of their own. */
export const CUES = ["junior", "mid", "senior", "marketing", "experimental", "urgent", "vague"] as const;
/** Name of such a list. */
export type Cue = (typeof CUES)[number];

/** One requirement of a task. */
export interface Requirement {
  /** The skill that is truly needed. */
  readonly skill: number;
  /** Share of the work; the weights of a task sum to 1. */
  readonly weight: number;
  /** Skill that the text names for it: the same when plain, another when mistaken, null when the text is silent. */
  readonly named: number | null;
}

/** What the text of a task leaves out. `hidden` and `mistaken` concern the house need, then its heaviest requirement. */
export type Clarity = "complete" | "hidden" | "mistaken";

/** A task of the bank: its text is public, everything else is latent. */
export interface BankTask {
  /** Row of its vector among the task texts. */
  readonly row: number;
  readonly text: string;
  readonly desk: number;
  readonly class: TaskClass;
  readonly shape: Shape;
  readonly urgent: boolean;
  /** Difficulty, within the range of its class. */
  readonly difficulty: number;
  readonly requirements: readonly Requirement[];
  readonly clarity: Clarity;
  /** The need that its text hides or misnames; null when complete: it then fits any house need. */
  readonly houseNeed: number | null;
  /** True if words of vagueness stand in the text. */
  readonly vague: boolean;
  /** Row of the text after clarification; its own row when complete. */
  readonly clarifiedRow: number;
  readonly clarifiedText: string;
  readonly split: BankSplit;
  /** True for hand-written tasks. */
  readonly handWritten: boolean;
}

/** A specialist of the bank: its text is public, everything else is latent. */
export interface BankSpecialist {
  /** Row of its vector among the specialist texts. */
  readonly row: number;
  readonly id: string;
  readonly role: string;
  /** The text that is embedded. */
  readonly text: string;
  readonly archetype: Archetype;
  /** Skills that the text claims, ascending. */
  readonly claims: readonly number[];
  /** Phrases per claimed skill in the text: 1, 3 or 5. */
  readonly phrasesPerSkill: number;
  readonly seniority: Seniority;
  readonly experimental: boolean;
  readonly marketing: boolean;
  readonly latencyMs: number;
  /** Cost units of one call; latency / 4000 in the bank. */
  readonly cost: number;
  /** Classes of tasks for which the person offers help; overlap guides the choice of a substitute. */
  readonly affinity: readonly TaskClass[];
  /** Ids of named substitutes, in order. */
  readonly fallbackTo: readonly string[];
  readonly split: BankSplit;
  readonly handWritten: boolean;
}

/** Vectors of a bank's texts, all of one embedder, L2-normalised. Returned arrays are shared: never write to them. */
export interface BankVectors {
  readonly dim: 384;
  /** Id of the embedder; part of checkpoints. */
  readonly embedderId: string;
  taskRow(row: number): Float32Array;
  specialistRow(row: number): Float32Array;
  /** Vector of a skill: of its eight training phrases joined by ", ". */
  skill(skill: number): Float32Array;
  /** Vector of one phrase of a skill. */
  phrase(skill: number, phrase: number): Float32Array;
  /** Vector of a cue's words joined by ", ". */
  cue(cue: Cue): Float32Array;
}

/** Cosines that depend on the embedder, measured on training texts; how much they mean is another matter for every model. */
export interface BankThresholds {
  /** 10 % quantile, over 2,000 draws, of the best cosine between a task and a company of 40: below it nobody fits. */
  readonly spawn: number;
  /** A specialist's text claims a skill to which it is nearer than this; best balance of both kinds of error. */
  readonly claim: number;
  /** As `claim`, for skills that a task's text asks for. */
  readonly domain: number;
}

/**
 * Everything the environment knows of one sector. Hand-written tasks and specialists stand in the same lists, after those of
 * the grammar; the rows of all have vectors.
 */
export interface Bank {
  readonly sector: string;
  readonly tasks: readonly BankTask[];
  readonly specialists: readonly BankSpecialist[];
  readonly skills: readonly Skill[];
  readonly words: SectorWords;
  readonly vectors: BankVectors;
  /** Absent where nobody has measured them: in a bank made for a test. */
  readonly thresholds?: BankThresholds;
  /** Hash of texts and latent fields, 64 hex digits (SHA-256): part of the audit header and of checkpoints. */
  readonly hash: string;
}
