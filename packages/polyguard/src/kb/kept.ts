import type { Drug, KnowledgeBase } from "./types.ts";

/** A function of a knowledge base that is worked out once for each; what it gives must not be changed. */
export function keptByKnowledgeBase<Value extends object>(
  make: (kb: KnowledgeBase) => Value,
): (kb: KnowledgeBase) => Value {
  return kept(make);
}

/**
 * A function of a drug row that is worked out once for each. Knowledge bases that differ in one drug share the other rows,
 * so that tables of them cost little.
 */
export function keptByDrug<Value extends object>(make: (drug: Drug) => Value): (drug: Drug) => Value {
  return kept(make);
}

function kept<Key extends object, Value extends object>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    let value = values.get(key);
    if (value === undefined) {
      value = make(key);
      values.set(key, value);
    }
    return value;
  };
}
