import { Term } from "../../ui/term.tsx";

/** Patterns that a text was flagged with. */
export function Flags({ flags }: { readonly flags: readonly string[] }) {
  return (
    <p className="flags">
      <span aria-hidden="true">⚑ </span>
      <Term word="flag">Flagged</Term>: {flags.join(", ")}
    </p>
  );
}
