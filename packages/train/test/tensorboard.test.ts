import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RunFolder } from "../src/run-folder.ts";
import { crc32c, formatEventHeader, formatScalars } from "../src/tensorboard.ts";
import { findPython, runPython } from "./python.ts";

// Made with RecordWriter and the Event messages of TensorBoard.
const GOLDEN_HEADER = "1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c";
const GOLDEN_SCALARS =
  "300000000000000095f5d05f09000000000000044010ac022a220a0f0a086368617274732f61150000a03f0a0f0a086c6f737365732f6215000040c04429c5ee";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

test("the checksum is CRC-32C", () => {
  expect(crc32c(new TextEncoder().encode("123456789"))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
});

test("records are what TensorBoard's own writer makes, byte for byte", () => {
  expect(hex(formatEventHeader(1.5))).toBe(GOLDEN_HEADER);
  expect(hex(formatScalars(2.5, 300, { "charts/a": 1.25, "losses/b": -3 }))).toBe(GOLDEN_SCALARS);
});

const python = findPython("tensorboard");

const READER = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0})
events.Reload()
print(json.dumps({tag: [[e.step, e.value] for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}))
`;

test.skipIf(python === null)(
  "TensorBoard's own reader sees every scalar of a run at its step, also after a resume (needs Python with tensorboard)",
  () => {
    const root = mkdtempSync(join(tmpdir(), "praxis-events-"));
    try {
      let at = Date.UTC(2026, 0, 2);
      const now = () => at++;
      const config = { env: "grid", algorithm: "ppo", seed: 1, settings: {}, context: {} } as const;
      const run = RunFolder.create(root, config, now);
      for (let i = 1; i <= 5; i++)
        run.log({ iteration: i, steps: 256 * i, "charts/recent_return": i / 4 }, { "charts/sps": 8 * i });
      const empty = { weights: new Map(), optimizer: new Map(), state: {}, environments: null };
      run.saveCheckpoint(256 * 5, { algorithm: "ppo", envId: "Grid-v0", ...empty });
      at += 5000;
      RunFolder.resume(run.path, now).run.log({ iteration: 6, steps: 256 * 6, "charts/recent_return": 1.5 });
      expect(runPython(python!, READER, [run.path])).toEqual({
        "charts/recent_return": [1, 2, 3, 4, 5, 6].map((i) => [256 * i, i / 4]),
        "charts/sps": [1, 2, 3, 4, 5].map((i) => [256 * i, 8 * i]),
      });
    } finally {
      rmSync(root, { recursive: true });
    }
  },
);
