// Runs a parallel flow in a process of its own, so that a test can kill it. Every call that is begun and ended is written to
// a file: a call that ended before the kill must never be begun again.
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { checkFlow, makeRealClock, makeSimulatedModel, runFlow } from "../../dist/index.js";
import { diskFiles, openRunFolder } from "../../dist/node/index.js";

const [file, folder, calls, latency] = process.argv.slice(2);
const rng = (seed) => {
  let draws = 0;
  return {
    split: (name) => rng(`${seed}/${name}`),
    uniform: () => createHash("sha256").update(`${seed} ${draws++}`).digest().readUInt32BE(0) / 2 ** 32,
  };
};
const { plan } = await checkFlow(file, { files: diskFiles });
const run = openRunFolder(folder);
const result = await runFlow({
  plan,
  input: "Compare row and column storage",
  rng: rng("crash"),
  clock: makeRealClock(() => performance.now()),
  models: async (model, context) => {
    const inner = makeSimulatedModel({ ...model, options: { latency_ms: Number(latency) } }, context);
    return {
      ...inner,
      doGenerate: async (options) => {
        const { path } = options.providerOptions.flow.meta;
        appendFileSync(calls, `begin ${path}\n`);
        return inner.doGenerate(options);
      },
    };
  },
  log: { entries: run.entries, sink: run.sink },
  firstSeq: run.firstSeq,
  onEvent: (event) => run.onEvent(event),
}).result;
run.close();
process.stdout.write(
  JSON.stringify({
    status: result.status,
    outputs: result.outputs,
    usage: result.usage,
    steps: result.records.map((record) => [record.path, record.status, record.text]),
  }),
);
