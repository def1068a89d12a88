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
/** How many of the phrases stand in a text as whole words. */
function countPhrases(text: string, phrases: readonly string[]): number {
  return phrases.filter((phrase) => {
    // The plain search says no to nearly all of them, and quickly.
    if (!text.toLowerCase().includes(phrase)) return false;
    const pattern = patterns.get(phrase) ?? new RegExp(`(?<![\\w-])${phrase}(?![\\w-])`, "i");
    patterns.set(phrase, pattern);
    return pattern.test(text);
  }).length;
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
    const kinds = new Set(
      tasks.flatMap(({ split, desk, class: name, clarity, houseNeed }) => [
        `${split} ${desk} ${name}`,
        `${split} ${desk} ${clarity} ${houseNeed}`,
      ]),
    );
    const missing: string[] = [];
    for (const split of ["train", "validation", "test"]) {
      for (let desk = 0; desk < 12; desk++) {
        const needs = skillsOfDesk(desk).flatMap((need) => [`hidden ${need}`, `mistaken ${need}`]);
        for (const kind of [...TASK_CLASSES, ...needs])
          if (!kinds.has(`${split} ${desk} ${kind}`)) missing.push(`${split} ${desk} ${kind}`);
      }
    }
    expect(missing).toEqual([]);
  });

  test("weights sum to 1; a need that the text hides or misnames is the heaviest and the clarified text names it", () => {
    const wrong = bank.tasks.filter(
      ({ requirements, clarity, houseNeed, text, clarifiedText, desk, row, clarifiedRow }) => {
        const sum = requirements.reduce((total, { weight }) => total + weight, 0);
        if (Math.abs(sum - 1) > 1e-9 || requirements.some(({ skill }) => !skillsOfDesk(desk).includes(skill)))
          return true;
        const unclear = requirements.filter(({ skill, named }) => named !== skill);
        if (clarity === "complete") {
          return unclear.length > 0 || houseNeed !== null || clarifiedText !== text || clarifiedRow !== row;
        }
        const isHeaviest = unclear[0]?.weight === Math.max(...requirements.map(({ weight }) => weight));
        const isHouseNeed = unclear.length === 1 && unclear[0]!.skill === houseNeed;
        return !isHeaviest || !isHouseNeed || clarifiedText === text || clarifiedRow === row;
      },
    );
    expect(wrong).toEqual([]);
  });

  test("a text names each visible need by 2 + round(3 · weight) phrases, no other skill, and unseen phrases only in tests", () => {
    const tasks = generated(bank);
    const wrong = tasks.filter(({ text, requirements }) =>
      bank.skills.some(({ index, phrases }) => {
        const requirement = requirements.find(({ named }) => named === index);
        const wanted = requirement === undefined ? 0 : 2 + Math.round(3 * requirement.weight);
        return countPhrases(text, phrases) !== wanted;
      }),
    );
    expect(wrong).toEqual([]);
    const late = bank.skills.flatMap(({ phrases }) => phrases.slice(8));
    const unseen = tasks.filter(({ text }) => countPhrases(text, late) > 0);
    expect(unseen.filter(({ split }) => split !== "test")).toEqual([]);
    expect(unseen.length).toBeGreaterThan(200);
  });

  test("class, shape, hurry and vagueness stand in the text, in the shares of the document", () => {
    const tasks = generated(bank);
    const { classes, shapes, urgent, vague } = bank.words;
    const wrong = tasks.filter(
      (task) =>
        TASK_CLASSES.some((name) => countPhrases(task.text, classes[name]) !== (name === task.class ? 2 : 0)) ||
        SHAPES.some((shape) => countPhrases(task.text, shapes[shape]) !== (shape === task.shape ? 2 : 0)) ||
        countPhrases(task.text, urgent) !== (task.urgent ? 2 : 0) ||
        countPhrases(task.text, vague) !== (task.vague ? 2 : 0),
    );
    expect(wrong).toEqual([]);
    const [clear, unclear] = [true, false].map((is) => tasks.filter(({ clarity }) => (clarity === "complete") === is));
    expect(share(tasks, (task) => task.urgent)).toBeCloseTo(0.35, 1);
    expect(share(clear!, (task) => task.vague)).toBeCloseTo(0.15, 1);
    expect(share(unclear!, (task) => task.vague)).toBeCloseTo(0.85, 1);
  });

  test("a specialist's text claims its skills by its phrases and shows seniority, marketing and trial by cue words", () => {
    const people = bank.specialists.filter(({ handWritten }) => !handWritten);
    const wrong = people.filter(
      (one) =>
        bank.skills.some(
          ({ index, phrases }) =>
            countPhrases(one.text, phrases) !== (one.claims.includes(index) ? one.phrasesPerSkill : 0),
        ) ||
        countPhrases(one.text, bank.words[one.seniority]) !== 2 ||
        countPhrases(one.text, bank.words.marketing) !== (one.marketing ? 3 : 0) ||
        countPhrases(one.text, bank.words.experimental) !== (one.experimental ? 2 : 0) ||
        one.cost !== one.latencyMs / 4000,
    );
    expect(wrong).toEqual([]);
    const overclaimers = people.filter(({ archetype }) => archetype === "overclaimer");
    expect(overclaimers.length / people.length).toBeCloseTo(0.28, 2);
    // 144 draws of 0.6: four standard deviations.
    expect(Math.abs(share(overclaimers, (one) => one.marketing) - 0.6)).toBeLessThan(0.16);
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
      if (Math.abs(dot(vector, vector) - 1) > 1e-5) throw new Error(`row ${row} has another length`);
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
  const counting = {
    ...hash384,
    embed: (of: string) => {
      calls++;
      return hash384.embed(of);
    },
  };
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
