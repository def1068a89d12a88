import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import type { Kernels } from "@praxis/nn";
import { selectKernels } from "@praxis/nn/node";
import type { Measurement } from "./figures.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** m × k × n: the policy's first layer over a minibatch and over one step, the recurrence, a language model's MLP. */
const SHAPES = [
  [128, 5490, 1024],
  [8, 256, 1024],
  [128, 256, 1024],
  [512, 576, 1536],
] as const;

type Product = (m: number, n: number, k: number) => () => void;

interface OpenBlas {
  readonly sgemm: (m: number, n: number, k: number, a: Float32Array, b: Float32Array, c: Float32Array) => void;
  readonly core: string;
}

/** OpenBLAS in this process, or why it is not to be had. */
function loadOpenBlas(): OpenBlas | string {
  // Set on some machines for old builds of the library; a peer runs as it would by itself.
  delete process.env.OPENBLAS_CORETYPE;
  delete process.env.OPENBLAS_L2_SIZE;
  const folder = mkdtempSync(join(tmpdir(), "praxis-bench-"));
  try {
    const output = join(folder, "openblas.node");
    const { status, error } = spawnSync("cc", [
      ...["-O2", "-shared", "-fPIC", "-fvisibility=hidden"],
      ...[join(root, "bench", "openblas.c"), "-o", output, "-ldl"],
    ]);
    if (error !== undefined || status !== 0) return "its binding did not compile";
    const addon = createRequire(import.meta.url)(output) as Partial<OpenBlas>;
    return addon.sgemm === undefined ? "libopenblas.so.0 is not installed" : (addon as OpenBlas);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fill(array: Float32Array): Float32Array {
  for (let i = 0; i < array.length; i++) array[i] = ((i * 7919) % 17) / 8 - 1;
  return array;
}

/** Plain TypeScript, as one would write it for speed: rows of B are walked along. */
function plainSgemm(m: number, n: number, k: number, a: Float32Array, b: Float32Array, c: Float32Array): void {
  for (let i = 0; i < m; i++) {
    const row = c.subarray(i * n, (i + 1) * n).fill(0);
    for (let p = 0; p < k; p++) {
      const x = a[i * k + p]!;
      const at = p * n;
      for (let j = 0; j < n; j++) row[j]! += x * b[at + j]!;
    }
  }
}

const onArrays =
  (sgemm: OpenBlas["sgemm"]): Product =>
  (m, n, k) => {
    const [a, b, c] = [fill(new Float32Array(m * k)), fill(new Float32Array(k * n)), new Float32Array(m * n)];
    return () => sgemm(m, n, k, a, b, c);
  };

const onKernels =
  (kernels: Kernels): Product =>
  (m, n, k) => {
    const [a, b, c] = [fill(kernels.floats(m * k)), fill(kernels.floats(k * n)), kernels.floats(m * n)];
    return () => kernels.sgemm({ m, n, k, a, b, c });
  };

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Median over rounds of time(peer) / time(ours), the two taken in turns, with a 95 % interval by order statistics. */
function compare(ours: () => void, peer: () => void, flop: number, rounds: number) {
  const time = (run: () => void): number => {
    const begun = performance.now();
    run();
    return performance.now() - begun;
  };
  // Both compilers of V8 must have seen the loop.
  for (const run of [ours, peer]) for (let i = 0; i < 3; i++) run();
  const ratios: number[] = [];
  const [oursMs, peerMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const [first, second] = round % 2 === 0 ? [ours, peer] : [peer, ours];
    const [t1, t2] = [time(first), time(second)];
    const [own, other] = round % 2 === 0 ? [t1, t2] : [t2, t1];
    ratios.push(other / own);
    oursMs.push(own);
    peerMs.push(other);
  }
  const sorted = ratios.toSorted((a, b) => a - b);
  const reach = Math.ceil(0.98 * Math.sqrt(rounds));
  const middle = Math.floor(rounds / 2);
  return {
    ratio: median(ratios),
    interval: [sorted[Math.max(0, middle - reach)]!, sorted[Math.min(rounds - 1, middle + reach)]!] as const,
    ours: flop / median(oursMs) / 1e6,
    peer: flop / median(peerMs) / 1e6,
  };
}

/** Matrix products on one thread beside OpenBLAS and plain TypeScript, and the size of the package. */
export async function measureNn(report: (measurement: Measurement) => void): Promise<void> {
  const native = (await selectKernels("native")).kernels;
  const wasm = (await selectKernels("wasm")).kernels;
  const openBlas = loadOpenBlas();
  const plain = onArrays(plainSgemm);
  for (const [m, k, n] of SHAPES) {
    const flop = 2 * m * k * n;
    const shape = `${m}x${k}x${n}`;
    if (typeof openBlas === "string") {
      console.log(`nn.sgemm.native.${shape} was not measured: ${openBlas}`);
    } else {
      const rounds = flop > 1e8 ? 31 : 301;
      const result = compare(onKernels(native)(m, n, k), onArrays(openBlas.sgemm)(m, n, k), flop, rounds);
      report({
        id: `nn.sgemm.native.${shape}`,
        value: result.ratio,
        unit: "× OpenBLAS",
        goal: ">= 0.8",
        peer: `OpenBLAS (${openBlas.core}) ${result.peer.toFixed(1)} GFLOP/s`,
        n: rounds,
        interval: result.interval,
        note: `${native.description} ${result.ours.toFixed(1)} GFLOP/s, one thread, median of rounds in turns`,
      });
    }
    const rounds = flop > 1e8 ? 5 : 21;
    const result = compare(onKernels(wasm)(m, n, k), plain(m, n, k), flop, rounds);
    report({
      id: `nn.sgemm.wasm.${shape}`,
      value: result.ratio,
      unit: "× plain TypeScript",
      goal: ">= 8",
      peer: `plain TypeScript ${result.peer.toFixed(2)} GFLOP/s`,
      n: rounds,
      interval: result.interval,
      note: `${wasm.description} ${result.ours.toFixed(1)} GFLOP/s, median of rounds in turns`,
    });
  }
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json"], {
    cwd: join(root, "packages", "nn"),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const listing = JSON.parse(packed) as unknown;
  const entry = (Array.isArray(listing) ? listing[0] : Object.values(listing as object)[0]) as {
    readonly unpackedSize: number;
    readonly entryCount: number;
  };
  report({
    id: "nn.size",
    value: entry.unpackedSize / 1e6,
    unit: "MB",
    goal: "< 1",
    peer: null,
    n: 1,
    interval: null,
    note: `unpacked, ${entry.entryCount} files, with WASM and this machine's native build; no install script`,
  });
}
