// Builds the native kernels if they are not there yet, and says in one line which kernels this machine has. Never fails:
// without a compiler WASM is used. Run after `tsc -b`.
import { buildNative } from "../dist/node/index.js";

const build = buildNative();
if ("reason" in build) console.error(`nn: WASM kernels are used; ${build.reason}`);
else if (build.built) console.error("nn: native kernels built");
