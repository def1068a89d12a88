import { words } from "../../ui/text.ts";

const MARKS: Readonly<Record<string, string>> = { contraindicated: "⊘", major: "▲", moderate: "◆", minor: "●" };

/** A severity by word, shape and colour. */
export function Severity({ severity }: { readonly severity: string }) {
  return (
    <span className={`severity ${severity in MARKS ? severity : "other"}`}>
      <span aria-hidden="true">{MARKS[severity] ?? "●"}</span> {words(severity)}
    </span>
  );
}
