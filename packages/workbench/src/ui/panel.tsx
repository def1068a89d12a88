import { type ReactNode, useId } from "react";

/** A titled part of a page. */
export function Panel({
  title,
  aside,
  className = "",
  children,
}: {
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <div className="panel-head">
        <h2 id={id}>{title}</h2>
        {aside === undefined ? null : <div className="panel-aside">{aside}</div>}
      </div>
      {children}
    </section>
  );
}
