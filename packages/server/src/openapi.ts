import type { EnvDefinition, EnvService, ServerMode } from "@praxis/env";
import { schemaDocument } from "./schema-document.ts";

type Json = Record<string, unknown>;

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Json): Json => ({ "application/json": { schema } });
const orNull = (schema: Json): Json => ({ anyOf: [schema, { type: "null" }], default: null });
const object = (properties: Json, required: readonly string[], additionalProperties = true): Json => ({
  type: "object",
  properties,
  required,
  additionalProperties,
});

interface Operation {
  readonly method: "get" | "post";
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly request?: Json;
  readonly response: Json;
  readonly isBodyOptional?: boolean;
  readonly parameters?: readonly Json[];
}

const SESSION_HEADER: Json = {
  name: "X-Session-Id",
  in: "header",
  required: false,
  schema: { type: "string" },
  description: "Left out: a fresh environment for this call. `new`: a session, whose id comes back in this header.",
};
const ENV_NAME: Json = { name: "env_name", in: "path", required: true, schema: { type: "string" } };
const SPLIT = { split: { type: "string" } };
const TASK_LIST: Json = { type: "array", items: { type: "object", additionalProperties: true } };

/** Routes of trainers; an agent in production has none of them. */
const CONTROL: readonly Operation[] = [
  {
    method: "post",
    path: "/reset",
    id: "reset_reset_post",
    tag: "Environment Control",
    summary: "Begin an episode",
    request: ref("ResetRequest"),
    isBodyOptional: true,
    response: ref("ResetResponse"),
    parameters: [SESSION_HEADER],
  },
  {
    method: "post",
    path: "/step",
    id: "step_step_post",
    tag: "Environment Control",
    summary: "Take one step",
    request: ref("StepRequest"),
    response: ref("StepResponse"),
    parameters: [SESSION_HEADER],
  },
  {
    method: "get",
    path: "/state",
    id: "endpoint_state_get",
    tag: "State Management",
    summary: "Read the state",
    response: ref("State"),
    parameters: [SESSION_HEADER],
  },
];

const INFO: readonly Operation[] = [
  {
    method: "get",
    path: "/metadata",
    id: "endpoint_metadata_get",
    tag: "Environment Info",
    summary: "Describe the environment",
    response: ref("EnvironmentMetadata"),
  },
  {
    method: "get",
    path: "/health",
    id: "endpoint_health_get",
    tag: "Health",
    summary: "Say whether the server is alive",
    response: ref("HealthResponse"),
  },
  {
    method: "get",
    path: "/schema",
    id: "get_schemas_schema_get",
    tag: "Schema",
    summary: "Give the JSON Schemas",
    response: ref("SchemaResponse"),
  },
  {
    method: "post",
    path: "/mcp",
    id: "mcp_endpoint_mcp_post",
    tag: "Environment Info",
    summary: "Model Context Protocol: JSON-RPC 2.0",
    request: object({}, []),
    response: object({}, []),
  },
];

const TASKS: readonly Operation[] = [
  {
    method: "get",
    path: "/list_environments",
    id: "list_environments_list_environments_get",
    tag: "Task API",
    summary: "List the environments",
    response: { type: "array", items: { type: "string" } },
  },
  {
    method: "get",
    path: "/{env_name}/splits",
    id: "list_splits_env_name_splits_get",
    tag: "Task API",
    summary: "List the splits",
    response: {
      type: "array",
      items: object({ name: { type: "string" }, type: { type: "string" } }, ["name", "type"]),
    },
    parameters: [ENV_NAME],
  },
  {
    method: "post",
    path: "/{env_name}/tasks",
    id: "list_tasks_env_name_tasks_post",
    tag: "Task API",
    summary: "List the tasks of a split",
    request: object(SPLIT, ["split"], false),
    response: object({ tasks: TASK_LIST, env_name: { type: "string" } }, ["tasks", "env_name"]),
    parameters: [ENV_NAME],
  },
  {
    method: "post",
    path: "/{env_name}/num_tasks",
    id: "num_tasks_env_name_num_tasks_post",
    tag: "Task API",
    summary: "Count the tasks of a split",
    request: object(SPLIT, ["split"], false),
    response: object({ num_tasks: { type: "integer" } }, ["num_tasks"]),
    parameters: [ENV_NAME],
  },
  {
    method: "post",
    path: "/{env_name}/task",
    id: "get_task_env_name_task_post",
    tag: "Task API",
    summary: "Give one task",
    request: object({ ...SPLIT, index: { type: "integer" } }, ["split", "index"], false),
    response: object({ task: {} }, ["task"]),
    parameters: [ENV_NAME],
  },
  {
    method: "post",
    path: "/{env_name}/task_range",
    id: "get_task_range_env_name_task_range_post",
    tag: "Task API",
    summary: "Give tasks from start up to, not including, stop",
    request: object(
      { ...SPLIT, start: orNull({ type: "integer" }), stop: orNull({ type: "integer" }) },
      ["split"],
      false,
    ),
    response: object({ tasks: TASK_LIST }, ["tasks"]),
    parameters: [ENV_NAME],
  },
];

const WEB_METADATA: Operation = {
  method: "get",
  path: "/web/metadata",
  id: "web_metadata_web_metadata_get",
  tag: "Web Interface",
  summary: "Describe the environment to the page",
  response: ref("EnvironmentMetadata"),
};
const WEB: readonly Operation[] = [
  {
    method: "post",
    path: "/web/reset",
    id: "web_reset_web_reset_post",
    tag: "Web Interface",
    summary: "Reset the environment of the page",
    request: object({}, []),
    isBodyOptional: true,
    response: ref("ResetResponse"),
  },
  {
    method: "post",
    path: "/web/step",
    id: "web_step_web_step_post",
    tag: "Web Interface",
    summary: "Step the environment of the page",
    request: object({ action: { type: "object", additionalProperties: true } }, []),
    response: ref("StepResponse"),
  },
  {
    method: "get",
    path: "/web/state",
    id: "web_state_web_state_get",
    tag: "Web Interface",
    summary: "Read the state of the page's environment",
    response: ref("State"),
  },
];

function serviceOperation(service: EnvService): Operation {
  const method = service.method === "GET" ? "get" : "post";
  return {
    method,
    path: service.path,
    id: `service${service.path.replace(/\W+/g, "_")}_${method}`,
    tag: "Services",
    summary: service.description,
    ...(method === "get" ? {} : { request: {} }),
    response: {},
  };
}

function paths(operations: readonly Operation[]): Json {
  const result: Json = {};
  for (const operation of operations) {
    const { method, path, id, tag, summary, request, response, isBodyOptional, parameters } = operation;
    const canFail = request !== undefined || parameters !== undefined;
    result[path] = {
      [method]: {
        tags: [tag],
        summary,
        operationId: id,
        ...(parameters === undefined ? {} : { parameters }),
        ...(request === undefined
          ? {}
          : { requestBody: { required: isBodyOptional !== true, content: json(request) } }),
        responses: {
          "200": { description: "Successful Response", content: json(response) },
          ...(canFail ? { "422": { description: "Validation Error", content: json(ref("HTTPValidationError")) } } : {}),
        },
      },
    };
  }
  return result;
}

function components(definition: EnvDefinition): Json {
  const { action, state } = schemaDocument(definition);
  const text = { type: "string" };
  const transition = object(
    {
      observation: { type: "object", additionalProperties: true },
      reward: orNull({ type: "number" }),
      done: { type: "boolean" },
      metadata: orNull({ type: "object", additionalProperties: true }),
    },
    ["observation"],
  );
  return {
    ResetRequest: object(
      { seed: orNull({ type: "integer", minimum: 0 }), episode_id: orNull({ type: "string", maxLength: 255 }) },
      [],
    ),
    ResetResponse: transition,
    StepRequest: object(
      {
        action: inlined(action as Json),
        timeout_s: orNull({ type: "number", exclusiveMinimum: 0 }),
        request_id: orNull({ type: "string", maxLength: 255 }),
      },
      ["action"],
    ),
    StepResponse: transition,
    State: inlined(state as Json),
    EnvironmentMetadata: object(
      {
        name: text,
        description: text,
        readme_content: orNull(text),
        version: orNull(text),
        author: orNull(text),
        documentation_url: orNull(text),
      },
      ["name", "description"],
    ),
    HealthResponse: object({ status: ref("HealthStatus") }, ["status"]),
    HealthStatus: { type: "string", enum: ["healthy", "unhealthy", "degraded"] },
    SchemaResponse: object(
      Object.fromEntries(["action", "observation", "state", "reset_observation"].map((name) => [name, object({}, [])])),
      ["action", "observation", "state"],
    ),
    HTTPValidationError: object({ detail: { type: "array", items: ref("ValidationError") } }, []),
    ValidationError: object(
      {
        loc: { type: "array", items: { anyOf: [text, { type: "integer" }] } },
        msg: text,
        type: text,
      },
      ["loc", "msg", "type"],
    ),
  };
}

/** A schema with local definitions can't move into another document unchanged; there it is described as any object. */
const inlined = (schema: Json): Json => (schema.$defs === undefined ? schema : object({}, []));

/** What {@link openApiDocument} describes. */
export interface OpenApiOptions {
  readonly definition: EnvDefinition;
  readonly mode: ServerMode;
  readonly hasPage: boolean;
}

/**
 * Body of `/openapi.json`. `info.version` is that of the protocol; in production `paths` has none of reset, step and state, by
 * which OpenEnv's validator tells the mode.
 */
export function openApiDocument({ definition, mode, hasPage }: OpenApiOptions): Json {
  const isSimulation = mode === "simulation";
  const operations = [
    ...(isSimulation ? CONTROL : []),
    ...INFO,
    ...TASKS,
    ...(hasPage ? [WEB_METADATA, ...(isSimulation ? WEB : [])] : []),
    ...(definition.services ?? []).map(serviceOperation),
  ];
  return {
    openapi: "3.1.0",
    info: {
      title: "OpenEnv Environment HTTP API",
      version: "1.0.0",
      description: `${definition.description} Episodes of several steps run over the WebSocket at /ws.`,
      contact: { name: "OpenEnv", url: "https://github.com/huggingface/OpenEnv" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths: paths(operations),
    components: { schemas: components(definition) },
    tags: [
      { name: "Environment Control", description: "Reset and step" },
      { name: "State Management", description: "Read the state" },
      { name: "Environment Info", description: "What the environment is" },
      { name: "Schema", description: "JSON Schemas of actions, observations and states" },
      { name: "Health", description: "Liveness" },
    ],
  };
}
