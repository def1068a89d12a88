import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { makeMiniLm } from "@praxis/llm";
import { findMiniLmFiles } from "@praxis/llm/node";
import { selectKernels } from "@praxis/nn/node";
import { loadBank, SECTORS } from "@praxis/spindleflow";
import { beforeAll, describe, expect, test } from "vitest";

const cache = fileURLToPath(new URL("../.peers/minilm", import.meta.url));

describe.skipIf(!existsSync(`${cache}/model.safetensors`))(
  "the banks' vectors (node scripts/minilm.mjs --install)",
  () => {
    let embed: (text: string) => Float32Array;
    beforeAll(async () => {
      const files = await findMiniLmFiles({ cache, env: {}, home: homedir(), report: () => {} });
      ({ embed } = makeMiniLm((await selectKernels()).kernels, files));
    });

    test.each(SECTORS)("those of %s are the embedder's, row by row", (sector) => {
      const { tasks, specialists, skills, vectors, words } = loadBank(sector);
      const hidden = tasks.findLast(({ clarity, handWritten }) => clarity === "hidden" && !handWritten)!;
      const rows: readonly (readonly [string, Float32Array])[] = [
        [tasks[0]!.text, vectors.taskRow(0)],
        [hidden.clarifiedText, vectors.taskRow(hidden.clarifiedRow)],
        [tasks.at(-1)!.text, vectors.taskRow(tasks.at(-1)!.row)],
        [specialists[511]!.text, vectors.specialistRow(511)],
        [specialists.at(-1)!.text, vectors.specialistRow(specialists.at(-1)!.row)],
        [skills[3]!.phrases.slice(0, 8).join(", "), vectors.skill(3)],
        [skills[11]!.phrases[9]!, vectors.phrase(11, 9)],
        [words.vague.join(", "), vectors.cue("vague")],
      ];
      for (const [text, stored] of rows) {
        const cosine = embed(text).reduce((sum, value, i) => sum + value * stored[i]!, 0);
        expect(cosine, text).toBeGreaterThan(0.99999);
      }
    });
  },
);
