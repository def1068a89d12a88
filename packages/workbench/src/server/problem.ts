import { PraxisError } from "@praxis/env";

/** An error as a reader needs it: what happened, its code, what to do. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly solution: string;
  /** Fields at fault, where the server names them. */
  readonly fields: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
}

/** Describes anything thrown. */
export function describeProblem(error: unknown): Problem {
  if (error instanceof PraxisError)
    return {
      code: error.code,
      message: error.message,
      solution: error.row.solution,
      fields: (error.fields ?? []).map(({ loc, msg }) => ({ path: loc, message: msg })),
    };
  return {
    code: "PAGE_ERROR",
    message: error instanceof Error ? error.message : String(error),
    solution: "Load the page again; if it comes back, please report it with this text.",
    fields: [],
  };
}
