import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Tests run from source: our packages export it under a condition of their own.
const conditions = ["praxis-source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // A console write in a test is a fault: libraries return or throw.
    onConsoleLog: (log) => {
      throw new Error(`console output in a test: ${log}`);
    },
    // Two of them also on a machine with two cores, where the default is one.
    maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
    setupFiles: ["test/property-seed.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
