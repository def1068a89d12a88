import { isObject } from "../schema/json-schema.ts";

/** Paths (`/a/0/b`) of `next` whose value is new or differs, with all paths above them. */
export function changedPaths(before: unknown, next: unknown): ReadonlySet<string> {
  const paths = new Set<string>();
  compare(before, next, "", paths);
  return paths;
}

function compare(before: unknown, next: unknown, path: string, paths: Set<string>): boolean {
  if (Object.is(before, next)) return false;
  let differs: boolean;
  if (Array.isArray(next) && Array.isArray(before)) {
    differs = next.length !== before.length;
    const old = counterparts(before, next);
    for (const [index, item] of next.entries())
      if (compare(old[index], item, `${path}/${index}`, paths)) differs = true;
  } else if (isObject(next) && isObject(before)) {
    differs = Object.keys(before).some((key) => !(key in next));
    for (const [key, item] of Object.entries(next))
      if (!(key in before) || compare(before[key], item, `${path}/${key}`, paths)) {
        differs = true;
        paths.add(`${path}/${key}`);
      }
  } else differs = true;
  if (differs) paths.add(path);
  return differs;
}

/** Names by which records of a list are known again, the best first. */
const KEYS = ["med_ref", "candidate_id", "id", "code", "drug_id", "name"];

/** What stood before for each item: the record of the same name, else what had the same place. */
function counterparts(before: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  const key = KEYS.find(
    (name) => next.length > 0 && next.every((item) => isObject(item) && typeof item[name] === "string"),
  );
  if (key === undefined) return before;
  const byName = new Map(before.filter(isObject).map((item) => [item[key], item]));
  return next.map((item) => byName.get((item as Readonly<Record<string, unknown>>)[key]));
}
