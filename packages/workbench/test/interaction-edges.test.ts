import { expect, test } from "vitest";
import { edgesOf } from "../src/environments/polyguard/interaction-edges.ts";

const alert = (drugs: string[], severity: string, domain: string, managed = false) => ({
  id: `${domain}${drugs.join()}`,
  drugs,
  severity,
  domain,
  source: "",
  managed,
});

test("an alert on three drugs is three pairs, and a pair is as bad as the worst that is said of it", () => {
  const edges = edgesOf([alert(["b", "a", "c"], "moderate", "AKI"), alert(["a", "b"], "major", "BLEED")]);
  expect(edges.map(({ a, b, severity, domains }) => [`${a}${b}`, severity, domains])).toEqual([
    ["bc", "moderate", ["AKI"]],
    ["ac", "moderate", ["AKI"]],
    ["ab", "major", ["AKI", "BLEED"]],
  ]);
});

test("a pair is managed only when everything that is said of it is", () => {
  expect(edgesOf([alert(["a", "b"], "major", "QT", true), alert(["a", "b"], "major", "AKI")])[0]?.isManaged).toBe(
    false,
  );
});
