import fc from "fast-check";
import { expect, test } from "vitest";
import { changedPaths } from "../src/play/changes.ts";

test("a changed leaf is named with all that hold it", () => {
  expect([...changedPaths({ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } })].sort()).toEqual(["", "/a", "/a/c"]);
});

test("a record that is taken off a list does not make those behind it look changed", () => {
  const before = {
    drugs: [
      { id: "m1", dose: 1 },
      { id: "m2", dose: 2 },
      { id: "m3", dose: 3 },
    ],
  };
  const after = {
    drugs: [
      { id: "m1", dose: 1 },
      { id: "m3", dose: 4 },
    ],
  };
  const changed = changedPaths(before, after);
  expect(changed.has("/drugs/1/dose")).toBe(true);
  expect(changed.has("/drugs/0")).toBe(false);
  expect(changed.has("/drugs/1/id")).toBe(false);
});

test("equal values have no change", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(changedPaths(value, JSON.parse(JSON.stringify(value)) as unknown).size).toBe(0);
    }),
  );
});
