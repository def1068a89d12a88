import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // A console write in a test is a fault: libraries return or throw.
    onConsoleLog: () => undefined,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
