import type { ReactNode } from "react";

/** A wide part that scrolls by itself, and so can be reached and moved by keyboard. */
export function Scroll({
  label,
  className = "",
  children,
}: {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`scroll ${className}`} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
