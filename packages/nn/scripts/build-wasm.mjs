// Builds kernels.wasm from native/ with clang and wasm-ld 19 (Debian: apt-get install clang-19 lld-19); for maintainers.
// With --check it compares instead, and says so when that compiler is not here.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const CLANG = "clang-19";
const EXPORTS = [
  "scratch_floats",
  "sgemm",
  "axpy",
  "multiply",
  "sum_of_squares",
  "activation",
  "activation_backward",
  "lstm_forward",
  "lstm_backward",
  "adam",
  "adam_product",
  "add_row",
  "sum_rows",
  "scale_rows",
  "softmax",
  "softmax_backward",
  "log_softmax",
  "log_softmax_backward",
  "layer_norm",
  "layer_norm_backward",
  "rms_norm",
  "rms_norm_backward",
  "gather_rows",
  "scatter_add_rows",
  "rotary",
  "__heap_base",
];
const FLAGS = [
  "--target=wasm32",
  "-O3",
  "-nostdlib",
  "-ffreestanding",
  "-msimd128",
  "-mbulk-memory",
  // Without fused multiply-add every engine gives the same bits.
  "-ffp-contract=off",
  "-fno-math-errno",
  "-DVL=4",
  "-DMR=2",
  "-DNV=4",
  "-Wl,--no-entry",
  "-Wl,--import-memory",
  "-Wl,--strip-all",
  "-Wl,-z,stack-size=65536",
];

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const shipped = join(root, "kernels.wasm");

/**
 * A custom section with a hash of the sources, so that a test without a compiler can tell that they have changed.
 * @returns id 0, then length, length of the name, name, hash as text
 */
function sourcesSection() {
  const hash = createHash("sha256");
  for (const name of ["gemm.c", "kernels.c", "pointwise.c", "product.c", "rows.c", "vector.h"]) {
    hash.update(readFileSync(join(root, "native", name)));
  }
  const name = Buffer.from("sources");
  const content = Buffer.concat([Buffer.from([name.length]), name, Buffer.from(hash.digest("hex"))]);
  return Buffer.concat([Buffer.from([0, content.length]), content]);
}

/** Compiles to `output`; false when the compiler is not installed. */
function compile(output) {
  const args = [...FLAGS, ...EXPORTS.map((name) => `-Wl,--export=${name}`), "native/kernels.c", "-o", output];
  const { status, error, stderr } = spawnSync(CLANG, args, { cwd: root, encoding: "utf8" });
  if (error !== undefined) return false;
  if (status !== 0) throw new Error(`${CLANG} ended with ${status}:\n${stderr}`);
  writeFileSync(output, Buffer.concat([readFileSync(output), sourcesSection()]));
  return true;
}

if (process.argv.includes("--check")) {
  const folder = mkdtempSync(join(tmpdir(), "praxis-wasm-"));
  try {
    const built = join(folder, "kernels.wasm");
    if (!compile(built)) {
      console.log(`kernels.wasm was not compared: ${CLANG} is not installed`);
    } else if (readFileSync(built).equals(readFileSync(shipped))) {
      console.log("kernels.wasm is what native/ builds to");
    } else {
      console.error("kernels.wasm differs from what native/ builds to; run node packages/nn/scripts/build-wasm.mjs");
      process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} else if (compile(shipped)) {
  console.log(`kernels.wasm: ${readFileSync(shipped).length} bytes`);
} else {
  console.error(`${CLANG} is not installed (Debian: apt-get install clang-19 lld-19)`);
  process.exitCode = 1;
}
