import { type ReactNode, useId, useState } from "react";
import { GLOSSARY, type GlossaryWord } from "./glossary.ts";

/** A word with its explanation: shown on hover, focus or click, hidden by Escape. */
export function Term({ word, children }: { readonly word: GlossaryWord; readonly children: ReactNode }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only shows what focus shows as well
    <span className="term" onMouseEnter={() => setOpen(true)} onMouseLeave={() => setOpen(false)}>
      <button
        type="button"
        className="term-word"
        aria-describedby={id}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onClick={() => setOpen(true)}
        onKeyDown={(event) => {
          if (event.key === "Escape") setOpen(false);
        }}
      >
        {children}
      </button>
      <span id={id} role="tooltip" className={isOpen ? "term-help open" : "term-help"}>
        {GLOSSARY[word]}
      </span>
    </span>
  );
}
