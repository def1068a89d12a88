import { describe, expect, test } from "vitest";
import { checkMcpOrigin } from "../src/origins.ts";

const loopback = { host: "127.0.0.1", cors: ["https://lab.example"] };

describe("origins of /mcp", () => {
  test("programs, local pages and listed pages pass", () => {
    for (const origin of [undefined, "http://localhost:5173", "http://127.0.0.1:8000", "https://lab.example"])
      expect(() => checkMcpOrigin(loopback, origin, "127.0.0.1:8000"), origin).not.toThrow();
  });

  test("a page of another site is refused, also when its name points at this machine", () => {
    expect(() => checkMcpOrigin(loopback, "https://evil.example", "127.0.0.1:8000")).toThrow(/evil.example/);
    expect(() => checkMcpOrigin(loopback, "http://evil.example:8000", "evil.example:8000")).toThrow(/--cors/);
    expect(() => checkMcpOrigin(loopback, "null", "127.0.0.1:8000")).toThrow(/may not use/);
  });

  test("a server on a public address serves the pages of its own name", () => {
    const open = { host: "0.0.0.0", cors: [] };
    expect(() => checkMcpOrigin(open, "https://praxis.example", "praxis.example")).not.toThrow();
    expect(() => checkMcpOrigin(open, "https://evil.example", "praxis.example")).toThrow(/evil/);
  });
});
