/** A number, or a few, that were worked out about a scenario. */
export type KeptValue = number | readonly number[];

/**
 * Where what is worked out about scenarios can be kept longer than a process, by key; a file, say. A key names the value, the
 * scenario and the hash of the tables, so one store must hold values of one version of the code only.
 */
export interface ScenarioStore {
  get(key: string): KeptValue | undefined;
  set(key: string, value: KeptValue): void;
}
