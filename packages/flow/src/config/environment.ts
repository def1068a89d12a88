/** Environment variables; handed in, never read from the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$\{ENV:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Names in `${ENV:NAME}` that are not set and have no default. */
export function missingVariables(text: string, env: Environment): string[] {
  return [...text.matchAll(REFERENCE)]
    .filter((match) => match[2] === undefined && (env[match[1]!] ?? "") === "")
    .map((match) => match[1]!);
}

/** Whether the text takes something from the environment. */
export function usesEnvironment(text: string): boolean {
  return text.search(REFERENCE) !== -1;
}

/** Fills in `${ENV:NAME}` and `${ENV:NAME:-default}`; an unset name without default becomes empty. */
function expandVariables(text: string, env: Environment): string {
  return text.replace(REFERENCE, (_, name: string, fallback: string | undefined) =>
    (env[name] ?? "") === "" ? (fallback ?? "") : env[name]!,
  );
}

/** The variables' values that stand in the text: they are secrets. */
export function variableValues(text: string, env: Environment): string[] {
  return [...text.matchAll(REFERENCE)].flatMap((match) => ((env[match[1]!] ?? "") === "" ? [] : [env[match[1]!]!]));
}

/** The same for every string of a value. */
export function expandDeep(value: unknown, env: Environment): unknown {
  if (typeof value === "string") return expandVariables(value, env);
  if (Array.isArray(value)) return value.map((item) => expandDeep(item, env));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expandDeep(inner, env)]));
  return value;
}

/** Every string in a value with its path. */
export function* stringsIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<readonly [path: readonly (string | number)[], text: string]> {
  if (typeof value === "string") yield [path, value];
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* stringsIn(item, [...path, i]);
  else if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value)) yield* stringsIn(inner, [...path, key]);
}
