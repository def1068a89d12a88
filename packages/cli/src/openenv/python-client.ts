import type { EnvDefinition } from "@praxis/env";
import { z } from "zod";
import type { PythonNames } from "./names.ts";

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

const TYPES: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  array: "list[Any]",
  object: "dict[str, Any]",
};
const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);
// Fields of the base classes, and names that would shadow a method of every Pydantic model.
const OWN_FIELDS = new Set(["metadata", "done", "reward", "copy", "dict", "json", "schema", "validate", "construct"]);

const isFieldName = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.has(name) && !OWN_FIELDS.has(name) && !name.startsWith("model_");

/** Python string literal; JSON's escapes are Python's. */
const literal = (text: string): string => JSON.stringify(text);
/** Text inside a docstring. */
const doc = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"""', "'''");

/** A field a line. Fields that Python cannot name, and those of an action that is one of several forms, arrive as extras. */
function fieldLines(schema: JsonSchema): string[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => isFieldName(name))
    .map(([name, property]) => {
      const type = TYPES[property.type ?? ""] ?? "Any";
      const description = property.description === undefined ? "" : `, description=${literal(property.description)}`;
      const isRequired = required.has(name);
      const optional = isRequired || type === "Any" ? type : `Optional[${type}]`;
      return isRequired && description === ""
        ? `    ${name}: ${type}`
        : `    ${name}: ${optional} = Field(${isRequired ? "..." : "default=None"}${description})`;
    });
}

function modelClass(name: string, base: string, description: string, schema: JsonSchema): string {
  const fields = fieldLines(schema);
  return [
    `class ${name}(${base}):`,
    `    """${doc(description)}"""`,
    "",
    `    model_config = ConfigDict(extra="allow", protected_namespaces=())`,
    ...(fields.length === 0 ? [] : ["", ...fields]),
  ].join("\n");
}

/** Text of `models.py`: action and observation with the fields that the environment's schemas name. */
export function modelsText(definition: EnvDefinition, names: PythonNames): string {
  const schemaOf = (schema: z.ZodType): JsonSchema =>
    z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  return `"""Action and observation of ${doc(definition.id)}. The server's /schema says more; it is the one that checks."""

from __future__ import annotations

from typing import Any, Optional

from openenv.core.env_server.types import Action, Observation
from pydantic import ConfigDict, Field

__all__ = [${literal(`${names.classPrefix}Action`)}, ${literal(`${names.classPrefix}Observation`)}]


${modelClass(`${names.classPrefix}Action`, "Action", `An action of ${definition.id}.`, schemaOf(definition.schemas.action))}


${modelClass(`${names.classPrefix}Observation`, "Observation", `What ${definition.id} shows after a reset or step.`, schemaOf(definition.schemas.observation))}
`;
}

/** Text of `client.py`: a typed client for both generations of OpenEnv. */
export function clientText(definition: EnvDefinition, { classPrefix }: PythonNames): string {
  return `"""Typed client of ${doc(definition.id)}."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Dict

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server.types import State

from .models import ${classPrefix}Action, ${classPrefix}Observation

# Older releases of OpenEnv have no metadata on step results.
_HAS_METADATA = any(field.name == "metadata" for field in fields(StepResult))


class ${classPrefix}Env(EnvClient[${classPrefix}Action, ${classPrefix}Observation, State]):
    """Plays ${doc(definition.id)} on a server: \`\`reset(seed=…)\`\`, \`\`step(${classPrefix}Action(…))\`\`, \`\`state()\`\`."""

    def _step_payload(self, action: ${classPrefix}Action) -> Dict[str, Any]:
        return action.model_dump(mode="json", exclude_unset=True)

    def _parse_result(self, payload: Dict[str, Any]) -> StepResult[${classPrefix}Observation]:
        data = dict(payload.get("observation") or {})
        data.setdefault("metadata", payload.get("metadata") or {})
        reward, done = payload.get("reward"), payload.get("done", False)
        observation = ${classPrefix}Observation(**{**data, "reward": reward, "done": done})
        extra = {"metadata": payload.get("metadata")} if _HAS_METADATA else {}
        return StepResult(observation=observation, reward=reward, done=done, **extra)

    def _parse_state(self, payload: Dict[str, Any]) -> State:
        return State(**payload)
`;
}
