/** Lets signals, timers and messages that have come in be heard: long work keeps the thread from them. */
export function turnOfEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
