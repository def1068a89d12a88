import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { measureFlowPeers } from "../bench/src/flow-peers.ts";

test("without the peers installed the flow benchmark says so in one line, and reports nothing for them", () => {
  const said: string[] = [];
  const report = (): void => {
    throw new Error("nothing was measured");
  };
  measureFlowPeers(report, tmpdir(), (line) => said.push(line));
  expect(said).toEqual([expect.stringContaining("npm install in bench/peers")]);
});
