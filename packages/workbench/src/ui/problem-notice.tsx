import type { ReactNode } from "react";
import type { Problem } from "../server/problem.ts";

/** What went wrong, its code and what to do; `children` are actions that may mend it. Announced at once. */
export function ProblemNotice({
  problem,
  children,
}: {
  readonly problem: Problem | null;
  readonly children?: ReactNode;
}) {
  return (
    <div className="live" aria-live="assertive">
      {problem === null ? null : (
        <div className="notice bad">
          <p>
            <strong className="code">{problem.code}</strong> {problem.message}
          </p>
          <p>{problem.solution}</p>
          {children === undefined ? null : <div className="row">{children}</div>}
        </div>
      )}
    </div>
  );
}
