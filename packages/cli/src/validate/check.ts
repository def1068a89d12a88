/** How a check ended. `warn`: something recommended is missing; `skip`: the thing checked is not offered. */
type CheckStatus = "pass" | "fail" | "warn" | "skip";

/** Thrown by a check to end as failed (or, if it is not required, with a warning). */
export class CheckFailure extends Error {
  override readonly name = "CheckFailure";
}

/** Thrown by a check that has nothing to look at. */
export class CheckSkip extends Error {
  override readonly name = "CheckSkip";
}

/**
 * One rule. `run` returns a line of what was seen, or nothing, or a promise of either; it throws {@link CheckFailure} or
 * {@link CheckSkip}.
 */
export interface Check<Subject> {
  readonly id: string;
  /** The rule as a sentence. */
  readonly title: string;
  /** True for what every OpenEnv server or folder must do; else a failure is a warning. */
  readonly required: boolean;
  run(subject: Subject): unknown;
}

/** Result of one check. */
export interface CheckResult {
  readonly group: string;
  readonly id: string;
  readonly title: string;
  readonly required: boolean;
  readonly status: CheckStatus;
  /** What was seen, why it failed, or why it was skipped. Empty when there is nothing to say. */
  readonly detail: string;
  readonly ms: number;
}

/** Checks under one heading. */
export interface CheckGroup<Subject> {
  readonly name: string;
  readonly checks: readonly Check<Subject>[];
}

/** Ends the check as failed unless `condition` holds. */
export function expect(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new CheckFailure(otherwise);
}

/** A value as short JSON for messages. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 160 ? text : `${text.slice(0, 157)}...`;
}

async function runCheck<Subject>(
  group: string,
  { id, title, required, run }: Check<Subject>,
  subject: Subject,
  now: () => number,
): Promise<CheckResult> {
  const begun = now();
  const ended = (status: CheckStatus, detail: string): CheckResult => ({
    group,
    id,
    title,
    required,
    status,
    detail,
    ms: Math.round((now() - begun) * 10) / 10,
  });
  try {
    const seen = await run(subject);
    return ended("pass", typeof seen === "string" ? seen : "");
  } catch (error) {
    if (error instanceof CheckSkip) return ended("skip", error.message);
    // Whatever else goes wrong (a timeout, a refused connection, a broken frame) is the subject's failure to meet the rule.
    return ended(required ? "fail" : "warn", error instanceof Error ? error.message : String(error));
  }
}

/** Runs all checks in order. @param now milliseconds */
export async function runChecks<Subject>(
  groups: readonly CheckGroup<Subject>[],
  subject: Subject,
  now: () => number,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, checks } of groups)
    for (const check of checks) results.push(await runCheck(name, check, subject, now));
  return results;
}
