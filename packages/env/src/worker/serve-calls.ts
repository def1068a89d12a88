import { parentPort, workerData } from "node:worker_threads";
import { PraxisError } from "../errors.ts";
import type { SyncEnvDefinition } from "../vector/env-chunk.ts";
import { packError, type WorkerReply } from "./protocol.ts";

/** Where a definition is found: Node must be able to load the module as it is. */
export interface DefinitionSource {
  readonly moduleUrl: string;
  /** Its export that is the definition, or a function that makes it. */
  readonly exportName: string;
  /** Plain data that a function is called with; absent: nothing. */
  readonly argument?: unknown | undefined;
}

/** The definition that a module exports. Throws INVALID_CONFIG naming module and export when there is none. */
export async function importDefinition({
  moduleUrl,
  exportName,
  argument,
}: DefinitionSource): Promise<SyncEnvDefinition> {
  const loaded = (await import(moduleUrl)) as Readonly<Record<string, unknown>>;
  const exported = loaded[exportName];
  const definition = (typeof exported === "function" ? exported(argument) : exported) as
    | Partial<SyncEnvDefinition>
    | undefined;
  if (typeof definition?.makeEnv === "function") return definition as SyncEnvDefinition;
  throw new PraxisError("INVALID_CONFIG", `'${moduleUrl}' exports no environment definition '${exportName}'.`);
}

/** What a worker does: says that it is ready, then answers calls in order. */
export interface CallServer<Call, Ready> {
  readonly ready: Ready;
  /** What can't be cloned (a function in a result) becomes an error reply. */
  answer(call: Call): unknown;
}

/** The body of a worker thread: makes its server from the setup it was started with; after a call of kind `close` it ends. */
export async function serveCalls<Setup, Call extends { readonly kind: string }, Ready>(
  make: (setup: Setup) => Promise<CallServer<Call, Ready>>,
): Promise<void> {
  const port = parentPort;
  if (port === null) throw new PraxisError("INVALID_CONFIG", "This module runs in a worker thread only.");
  const reply = (result: () => unknown): void => {
    try {
      port.postMessage({ ok: true, result: result() } satisfies WorkerReply);
    } catch (error) {
      port.postMessage({ ok: false, error: packError(error) } satisfies WorkerReply);
    }
  };
  try {
    const server = await make(workerData as Setup);
    reply(() => server.ready);
    port.on("message", (call: Call) => {
      reply(() => server.answer(call));
      if (call.kind === "close") port.close();
    });
  } catch (error) {
    reply(() => {
      throw error;
    });
  }
}
