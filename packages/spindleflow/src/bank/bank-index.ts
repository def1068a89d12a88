import { PraxisError } from "@praxis/env";
import { type Bank, type BankSplit, type BankTask, type Clarity, SKILL_COUNT, type TaskClass } from "./bank.ts";

/** Cosine of two unit vectors of equal length. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/**
 * Cosines of one unit vector with many, written to `out`. Four sums go side by side, as one alone waits for its own last
 * addition; each is summed in the order of {@link cosine} and comes out the same to the last bit.
 */
export function cosines(vector: Float32Array, others: readonly Float32Array[], out: Float64Array): void {
  const { length } = vector;
  let k = 0;
  for (; k + 3 < others.length; k += 4) {
    const [w, x, y, z] = [others[k]!, others[k + 1]!, others[k + 2]!, others[k + 3]!];
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < length; i++) {
      const v = vector[i]!;
      a += v * w[i]!;
      b += v * x[i]!;
      c += v * y[i]!;
      d += v * z[i]!;
    }
    out[k] = a;
    out[k + 1] = b;
    out[k + 2] = c;
    out[k + 3] = d;
  }
  for (; k < others.length; k++) out[k] = cosine(vector, others[k]!);
}

/** A bank with what the environment looks up in it, computed once. */
export class BankIndex {
  readonly bank: Bank;
  readonly #tasks = new Map<string, number[]>();
  readonly #specialists: Readonly<Record<BankSplit, number[]>> = { train: [], validation: [], test: [] };
  /** Cosine of each specialist's text with each skill's, specialists × skills. */
  readonly #skillCosines: Float64Array;
  readonly #nearest: Int32Array;
  readonly #domains: Int8Array;
  readonly #rowOfText = new Map<string, number>();
  readonly #indexOfId = new Map<string, number>();

  constructor(bank: Bank) {
    this.bank = bank;
    bank.tasks.forEach((task, index) => {
      for (const key of keysOf(task)) {
        const list = this.#tasks.get(key);
        if (list === undefined) this.#tasks.set(key, [index]);
        else list.push(index);
      }
      this.#rowOfText.set(task.text, index);
    });
    this.#domains = new Int8Array(bank.tasks.length).fill(-1);
    const skills = bank.skills.map((skill) => bank.vectors.skill(skill.index));
    this.#skillCosines = new Float64Array(bank.specialists.length * SKILL_COUNT);
    this.#nearest = new Int32Array(bank.specialists.length);
    bank.specialists.forEach((specialist, index) => {
      this.#specialists[specialist.split].push(index);
      this.#indexOfId.set(specialist.id, index);
      const vector = bank.vectors.specialistRow(specialist.row);
      let best = 0;
      for (let k = 0; k < SKILL_COUNT; k++) {
        const near = cosine(vector, skills[k]!);
        this.#skillCosines[index * SKILL_COUNT + k] = near;
        if (near > this.#skillCosines[index * SKILL_COUNT + best]!) best = k;
      }
      this.#nearest[index] = best;
    });
  }

  /** Cosine of a specialist's text with a skill's. */
  skillCosine(specialist: number, skill: number): number {
    return this.#skillCosines[specialist * SKILL_COUNT + skill]!;
  }

  /** Skill nearest to a specialist's text. */
  nearestSkill(specialist: number): number {
    return this.#nearest[specialist]!;
  }

  /** Skill nearest to a vector; ties to the lower number. */
  nearestSkillTo(vector: Float32Array): number {
    let best = 0;
    let bestCosine = -2;
    for (let k = 0; k < SKILL_COUNT; k++) {
      const near = cosine(vector, this.bank.vectors.skill(k));
      if (near <= bestCosine) continue;
      best = k;
      bestCosine = near;
    }
    return best;
  }

  /** Skill nearest to a task's text, computed once per task. */
  domainOfTask(index: number): number {
    const known = this.#domains[index]!;
    if (known >= 0) return known;
    const domain = this.nearestSkillTo(this.bank.vectors.taskRow(this.bank.tasks[index]!.row));
    this.#domains[index] = domain;
    return domain;
  }

  /** Specialists of a split, by index. */
  specialistsOf(split: BankSplit): readonly number[] {
    return this.#specialists[split];
  }

  /** Index of the task with that text, or null. */
  taskWithText(text: string): number | null {
    return this.#rowOfText.get(text) ?? null;
  }

  /** Index of the specialist with that id, or null. */
  specialistWithId(id: string): number | null {
    return this.#indexOfId.get(id) ?? null;
  }

  /**
   * Tasks to draw from: of the desk and class, with that clarity about the house need. Without any, complete ones, then any of
   * desk and class, then any of the desk. Throws INVALID_CONFIG for a bank without tasks of the desk.
   */
  candidates(split: BankSplit, desk: number, name: TaskClass, clarity: Clarity, houseNeed: number): readonly number[] {
    const found =
      this.#tasks.get(keyOf(split, desk, name, clarity, clarity === "complete" ? null : houseNeed)) ??
      this.#tasks.get(keyOf(split, desk, name, "complete", null)) ??
      this.#tasks.get(`${split}|${desk}|${name}`) ??
      this.#tasks.get(`${split}|${desk}`);
    if (found !== undefined) return found;
    throw new PraxisError(
      "INVALID_CONFIG",
      `The bank of sector '${this.bank.sector}' has no task of split '${split}' for desk ${desk}.`,
    );
  }
}

const keyOf = (split: BankSplit, desk: number, name: TaskClass, clarity: Clarity, houseNeed: number | null): string =>
  `${split}|${desk}|${name}|${clarity}|${houseNeed ?? ""}`;

function keysOf(task: BankTask): readonly string[] {
  const { split, desk } = task;
  return [
    keyOf(split, desk, task.class, task.clarity, task.houseNeed),
    `${split}|${desk}|${task.class}`,
    `${split}|${desk}`,
  ];
}
