import { hash384 } from "@praxis/llm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BankSplit, type BankTask, SECTORS, SHAPES, skillsOfDesk, TASK_CLASSES } from "../src/bank/bank.ts";
import { layOutTexts } from "../src/bank/bank-texts.ts";
import { decodeFloat16, encodeFloat16 } from "../src/bank/float16.ts";
import { loadBank, loadBankText, readBankManifest } from "../src/bank/load-bank.ts";
import { type BankText, bankLines, makeBank } from "../src/bank/make-bank.ts";

const texts = new Map<string, BankText>(SECTORS.map((sector) => [sector, loadBankText(sector)]));
const each = SECTORS.map((sector) => [sector, texts.get(sector)!] as const);
const generated = (bank: BankText): BankTask[] => bank.tasks.filter(({ handWritten }) => !handWritten);
const share = <T>(items: readonly T[], isOne: (item: T) => boolean): number =>
  items.filter(isOne).length / items.length;
const patterns = new Map<string, RegExp>();
/** Whether a phrase stands in a text as whole words. */
function hasPhrase(text: string, phrase: string): boolean {
  let pattern = patterns.get(phrase);
  if (pattern === undefined) patterns.set(phrase, (pattern = new RegExp(`(?<![\\w-])${phrase}(?![\\w-])`, "i")));
  return pattern.test(text);
}

describe.each(each)("the bank of %s", (sector, bank) => {
  test("has 4,096 task texts and 512 specialist texts, all different, and the same ones each time", () => {
    const { bank: rows, extra } = layOutTexts(bank);
    expect(rows).toHaveLength(4096 + 512);
    expect(new Set([...rows, ...extra]).size).toBe(rows.length + extra.length);
    expect(loadBankText(sector).hash).toBe(bank.hash);
    expect(readBankManifest().sectors[sector]!.bankSha256).toBe(bank.hash);
  });

  test("splits tasks 80 : 10 : 10 and specialists 384 : 64 : 64; every split has every kind of task on every desk", () => {
    const counts: Record<BankSplit, number> = { train: 0, validation: 0, test: 0 };
    for (const { split, handWritten } of bank.specialists) if (!handWritten) counts[split]++;
    expect(counts).toEqual({ train: 384, validation: 64, test: 64 });
    const tasks = generated(bank);
    expect(share(tasks, ({ split }) => split === "train")).toBeCloseTo(0.8, 1);
    expect(share(tasks, ({ split }) => split === "test")).toBeCloseTo(0.1, 1);
    for (const split of ["train", "validation", "test"] as const) {
      for (let desk = 0; desk < 12; desk++) {
        const here = tasks.filter((task) => task.split === split && task.desk === desk);
        for (const name of TASK_CLASSES) expect(here.some((task) => task.class === name)).toBe(true);
        for (const need of skillsOfDesk(desk)) {
          for (const clarity of ["hidden", "mistaken"]) {
            expect(here.some((task) => task.houseNeed === need && task.clarity === clarity)).toBe(true);
          }
        }
      }
    }
  });

  test("weights sum to 1; a need that the text hides or misnames is the heaviest and the clarified text names it", () => {
    for (const { requirements, clarity, houseNeed, text, clarifiedText, desk, row, clarifiedRow } of bank.tasks) {
      expect(requirements.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
      for (const { skill } of requirements) expect(skillsOfDesk(desk)).toContain(skill);
      const unclear = requirements.filter(({ skill, named }) => named !== skill);
      if (clarity === "complete") {
        expect([unclear.length, houseNeed, clarifiedText, clarifiedRow]).toEqual([0, null, text, row]);
        continue;
      }
      expect(unclear.map(({ skill }) => skill)).toEqual([houseNeed]);
      expect(unclear[0]!.weight).toBe(Math.max(...requirements.map(({ weight }) => weight)));
      expect(clarifiedText).not.toBe(text);
      expect(clarifiedRow).not.toBe(row);
    }
  });

  test("a text names each visible need by 2 + round(3 · weight) phrases, no other skill, and unseen phrases only in tests", () => {
    let unseen = 0;
    for (const task of generated(bank)) {
      const found = bank.skills.map(({ phrases }) => phrases.filter((phrase) => hasPhrase(task.text, phrase)));
      const wanted = bank.skills.map(({ index }) => {
        const requirement = task.requirements.find(({ named }) => named === index);
        return requirement === undefined ? 0 : 2 + Math.round(3 * requirement.weight);
      });
      expect(found.map((phrases) => phrases.length)).toEqual(wanted);
      const late = bank.skills.some(({ phrases }) => phrases.slice(8).some((phrase) => hasPhrase(task.text, phrase)));
      if (task.split !== "test") expect(late).toBe(false);
      else if (late) unseen++;
    }
    expect(unseen).toBeGreaterThan(200);
  });

  test("class, shape, hurry and vagueness stand in the text, in the shares of the document", () => {
    const tasks = generated(bank);
    for (const task of tasks) {
      for (const name of TASK_CLASSES) {
        const found = bank.words.classes[name].filter((word) => hasPhrase(task.text, word));
        expect(found).toHaveLength(name === task.class ? 2 : 0);
      }
      for (const shape of SHAPES) {
        const found = bank.words.shapes[shape].filter((words) => task.text.includes(words));
        expect(found).toHaveLength(shape === task.shape ? 2 : 0);
      }
      expect(bank.words.urgent.filter((word) => hasPhrase(task.text, word)).length >= 2).toBe(task.urgent);
      expect(bank.words.vague.filter((words) => task.text.includes(words))).toHaveLength(task.vague ? 2 : 0);
    }
    expect(share(tasks, ({ urgent }) => urgent)).toBeCloseTo(0.35, 1);
    expect(
      share(
        tasks.filter(({ clarity }) => clarity === "complete"),
        ({ vague }) => vague,
      ),
    ).toBeCloseTo(0.15, 1);
    expect(
      share(
        tasks.filter(({ clarity }) => clarity !== "complete"),
        ({ vague }) => vague,
      ),
    ).toBeCloseTo(0.85, 1);
  });

  test("a specialist's text claims its skills by its phrases and shows seniority, marketing and trial by cue words", () => {
    const people = bank.specialists.filter(({ handWritten }) => !handWritten);
    for (const { text, claims, phrasesPerSkill, seniority, marketing, experimental, latencyMs, cost } of people) {
      const found = bank.skills.map(({ phrases }) => phrases.filter((phrase) => hasPhrase(text, phrase)).length);
      expect(found).toEqual(bank.skills.map(({ index }) => (claims.includes(index) ? phrasesPerSkill : 0)));
      expect(bank.words[seniority].filter((words) => hasPhrase(text, words))).toHaveLength(2);
      expect(bank.words.marketing.filter((words) => hasPhrase(text, words))).toHaveLength(marketing ? 3 : 0);
      expect(bank.words.experimental.filter((words) => hasPhrase(text, words))).toHaveLength(experimental ? 2 : 0);
      expect(cost).toBe(latencyMs / 4000);
    }
    expect(share(people, ({ archetype }) => archetype === "overclaimer")).toBeCloseTo(0.28, 2);
    expect(
      share(
        people.filter(({ archetype }) => archetype === "overclaimer"),
        (one) => one.marketing,
      ),
    ).toBeCloseTo(0.6, 1);
  });

  test("24 specialists and 60 tasks are written by hand, some of the tasks with a hidden need", () => {
    expect(bank.specialists.filter(({ handWritten }) => handWritten)).toHaveLength(24);
    const tasks = bank.tasks.filter(({ handWritten }) => handWritten);
    expect(tasks).toHaveLength(60);
    expect(tasks.filter(({ clarity }) => clarity === "hidden")).toHaveLength(12);
    for (const name of TASK_CLASSES) expect(tasks.filter((task) => task.class === name)).toHaveLength(12);
  });

  test("vectors of the shipped file have length 1 and lie nearer to the skills that a text claims", () => {
    const { vectors, specialists, skills, thresholds } = loadBank(sector);
    const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
    const deep = specialists.filter(({ archetype, claims }) => archetype === "deep" && claims.length === 1);
    const right = share(deep, ({ row, claims }) => {
      const vector = vectors.specialistRow(row);
      expect(dot(vector, vector)).toBeCloseTo(1, 5);
      const near = skills.map(({ index }) => dot(vector, vectors.skill(index)));
      return near.indexOf(Math.max(...near)) === claims[0];
    });
    expect(right).toBeGreaterThan(0.9);
    expect(vectors.embedderId).toBe("minilm");
    expect(vectors.taskRow(4096)).not.toEqual(vectors.taskRow(0));
    expect(vectors.phrase(11, 9)).toHaveLength(384);
    expect(vectors.cue("vague")).toHaveLength(384);
    expect(thresholds!.claim).toBeGreaterThan(0.2);
  });
});

test("the sectors share no phrase of a skill, and their banks differ", () => {
  const phrases = each.flatMap(([, { skills }]) => skills.flatMap((skill) => skill.phrases));
  expect(new Set(phrases).size).toBe(phrases.length);
  expect(new Set(each.map(([, { hash }]) => hash)).size).toBe(SECTORS.length);
});

test("a bank's JSON lines can be read back: one a task, a specialist, a skill, and the words", () => {
  const [, bank] = each[0]!;
  const lines = bankLines(bank);
  expect(lines).toHaveLength(bank.tasks.length + bank.specialists.length + 12 + 1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ row: 0, text: bank.tasks[0]!.text });
});

test("another embedder makes vectors when they are asked for, and one of another size is refused", () => {
  const [, text] = each[0]!;
  let calls = 0;
  const counting = { ...hash384, embed: (of: string) => (calls++, hash384.embed(of)) };
  const bank = makeBank(text, { embedder: counting });
  expect(calls).toBe(0);
  const task = bank.tasks[5]!;
  expect([...bank.vectors.taskRow(task.clarifiedRow)]).toEqual([...hash384.embed(task.clarifiedText)]);
  expect(bank.vectors.taskRow(task.clarifiedRow)).toBe(bank.vectors.taskRow(task.clarifiedRow));
  expect(calls).toBe(1);
  const person = bank.specialists.at(-1)!;
  expect([...bank.vectors.specialistRow(person.row)]).toEqual([...hash384.embed(person.text)]);
  expect(() => makeBank(text, { embedder: { id: "small", dim: 8, embed: () => new Float32Array(8) } })).toThrow(
    /need 384/,
  );
});

test("an unknown sector is refused with the nearest", () => {
  expect(() => loadBank("legal_revue")).toThrow(/no bank of the sector 'legal_revue'. Did you mean 'legal_review'\?/);
});

describe("float16", () => {
  test("what it can hold comes back exactly, anything else as the nearest it can hold", () => {
    const all = Uint16Array.from({ length: 0x10000 }, (_, bits) => bits);
    const finite = all.filter((bits) => ((bits >> 10) & 31) !== 31);
    const values = decodeFloat16(new Uint8Array(finite.buffer));
    expect([...new Uint16Array(encodeFloat16(values).buffer)]).toEqual([...finite]);
    fc.assert(
      fc.property(fc.float({ min: -60_000, max: 60_000, noNaN: true }), (value) => {
        const [rounded] = decodeFloat16(encodeFloat16(Float32Array.of(value)));
        expect(Math.abs(rounded! - value)).toBeLessThanOrEqual(Math.max(2 ** -25, Math.abs(value) * 2 ** -11));
      }),
    );
    expect([...decodeFloat16(encodeFloat16(Float32Array.of(1e6, -1e6, Number.NaN)))]).toEqual([
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NaN,
    ]);
    expect(() => decodeFloat16(new Uint8Array(3))).toThrow(RangeError);
  });
});
