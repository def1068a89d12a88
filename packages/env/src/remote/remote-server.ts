import { z } from "zod";
import type { TaskSplit } from "../env.ts";
import { PraxisError } from "../errors.ts";
import { parseAddress } from "./address.ts";
import { type HttpOptions, requestJson } from "./http.ts";

/** What `/health` says; Praxis servers add keys of their own. */
const healthSchema = z.looseObject({ status: z.string() });
const metadataSchema = z.looseObject({ name: z.string(), description: z.string() });
const jsonSchemaSchema = z.record(z.string(), z.unknown());
const schemasSchema = z.looseObject({
  action: jsonSchemaSchema,
  observation: jsonSchemaSchema,
  state: jsonSchemaSchema,
  reset_observation: jsonSchemaSchema.optional(),
});
const splitsSchema = z.array(
  z.looseObject({ name: z.string(), type: z.enum(["train", "validation", "test"]).catch("validation") }),
);

/** Answer of {@link RemoteServer.health}. */
export type RemoteHealth = z.infer<typeof healthSchema>;
/** Answer of {@link RemoteServer.metadata}. */
export type RemoteMetadata = z.infer<typeof metadataSchema>;
/** Answer of {@link RemoteServer.schema}: JSON Schemas. */
export type RemoteSchemas = z.infer<typeof schemasSchema>;

/** How a server is reached. */
export interface ServerOptions {
  /** http, https, ws, wss or no scheme; a path prefix is kept. */
  readonly baseUrl: string;
  /** Sent as `Authorization: Bearer TOKEN`; with a browser's WebSocket, which sends no headers, as `access_token` in the query. */
  readonly token?: string | undefined;
  /** More headers, for HTTP and, outside browsers, the WebSocket handshake. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default the runtime's own. */
  readonly fetch?: typeof fetch | undefined;
  /** Longest wait for an HTTP reply in ms; default 60,000. */
  readonly httpTimeoutMs?: number | undefined;
}

/** The HTTP options of a server. */
export function makeHttpOptions(options: ServerOptions): HttpOptions {
  return {
    base: parseAddress(options.baseUrl).http,
    headers: makeHeaders(options),
    // Called without a receiver: browsers refuse `fetch` as a method of another object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs: options.httpTimeoutMs ?? 60_000,
  };
}

/** The headers of every call. */
export function makeHeaders(options: ServerOptions): Record<string, string> {
  return {
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...options.headers,
  };
}

/** Reads what a server tells over HTTP: health, description, schemas and tasks. Opens no session. */
export class RemoteServer {
  readonly #http: HttpOptions;

  constructor(options: ServerOptions) {
    this.#http = makeHttpOptions(options);
  }

  health(): Promise<RemoteHealth> {
    return this.#read(healthSchema, "/health");
  }

  metadata(): Promise<RemoteMetadata> {
    return this.#read(metadataSchema, "/metadata");
  }

  schema(): Promise<RemoteSchemas> {
    return this.#read(schemasSchema, "/schema");
  }

  /** Names of the environments with tasks. Task calls throw NOT_SUPPORTED on servers without the task API. */
  listEnvironments(): Promise<string[]> {
    return this.#read(z.array(z.string()), "/list_environments");
  }

  splits(env: string): Promise<TaskSplit[]> {
    return this.#read(splitsSchema, `/${encodeURIComponent(env)}/splits`);
  }

  async countTasks(env: string, split: string): Promise<number> {
    const reply = z.looseObject({ num_tasks: z.int().min(0) });
    return (await this.#read(reply, `/${encodeURIComponent(env)}/num_tasks`, { split })).num_tasks;
  }

  /** The task at `index` of a split; reset with the options `{ split, index }` plays it. */
  async task(env: string, split: string, index: number): Promise<unknown> {
    const reply = z.looseObject({ task: z.unknown() });
    return (await this.#read(reply, `/${encodeURIComponent(env)}/task`, { split, index })).task;
  }

  /** Tasks from `start` (default 0) up to, not including, `stop` (default all). */
  async tasks(env: string, split: string, range: { start?: number; stop?: number } = {}): Promise<unknown[]> {
    const reply = z.looseObject({ tasks: z.array(z.unknown()) });
    return (await this.#read(reply, `/${encodeURIComponent(env)}/task_range`, { split, ...range })).tasks;
  }

  /**
   * Calls a service beside the OpenEnv routes, such as `/review`: a GET without a body, else a POST of text as it is or of
   * anything else as JSON. Throws the error of the reply.
   */
  service(path: string, body?: unknown): Promise<unknown> {
    return requestJson(this.#http, path, body);
  }

  async #read<T>(schema: z.ZodType<T>, path: string, body?: unknown): Promise<T> {
    const reply = schema.safeParse(await requestJson(this.#http, path, body));
    if (reply.success) return reply.data;
    const issue = reply.error.issues[0]!;
    throw new PraxisError(
      "CONNECTION_LOST",
      `${this.#http.base}${path} did not answer as an OpenEnv server: field '${issue.path.join(".")}': ${issue.message}.`,
    );
  }
}
