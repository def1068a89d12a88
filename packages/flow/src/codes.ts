/** One row of the table of configuration problems and run-time errors. */
export interface CodeRow {
  readonly name: string;
  readonly meaning: string;
  readonly solution: string;
}

/** Every code that `flow` reports: E1xx file and YAML, E2xx schema and meaning, W3xx warnings, E4xx run time. */
export const CODES = {
  E101: {
    name: "file-missing",
    meaning: "The file does not exist.",
    solution: "Check the path; the nearest name is shown.",
  },
  E102: { name: "file-is-folder", meaning: "The path is a folder.", solution: "Name a file in it." },
  E103: {
    name: "file-empty",
    meaning: "The file is empty or holds only comments.",
    solution: "Start from 'praxis flow new'.",
  },
  E104: {
    name: "file-unreadable",
    meaning: "The file can't be read as UTF-8 text of at most 1 MiB.",
    solution: "Check permission, encoding and size.",
  },
  E111: { name: "yaml-syntax", meaning: "The text is not valid YAML.", solution: "Correct the marked place." },
  E112: { name: "yaml-duplicate-key", meaning: "A map has the same key twice.", solution: "Keep one of them." },
  E113: { name: "yaml-alias-bomb", meaning: "Aliases expand too far.", solution: "Write the values out." },
  E120: {
    name: "not-a-map",
    meaning: "The document is not one map of settings.",
    solution: "Write keys such as 'models:' at the top level.",
  },
  E201: { name: "missing-key", meaning: "A required key is absent.", solution: "Add it." },
  E202: { name: "wrong-type", meaning: "A value has the wrong type.", solution: "Use the type that is named." },
  E203: {
    name: "unknown-agent",
    meaning: "An agent id is not defined.",
    solution: "Use a defined id, or define the agent.",
  },
  E204: { name: "unknown-model", meaning: "A model id is not defined.", solution: "Use an id under 'models'." },
  E205: {
    name: "unknown-tool",
    meaning: "A tool or tool server is not known.",
    solution: "Use a built-in tool, or declare the server.",
  },
  E206: {
    name: "unknown-key",
    meaning: "A key is not known here.",
    solution: "Use the nearest known key; 'x-' keys are free.",
  },
  E207: { name: "bad-enum", meaning: "A value is not one of the allowed words.", solution: "Use a listed word." },
  E208: {
    name: "out-of-range",
    meaning: "A number, length or list is outside its limits.",
    solution: "Stay within the limits shown.",
  },
  E209: { name: "duplicate-id", meaning: "An id is used twice.", solution: "Rename one of the two." },
  E210: {
    name: "bad-id",
    meaning: "An id does not fit its pattern.",
    solution: "Start with a letter; then letters, digits, _ or -; at most 64.",
  },
  E221: {
    name: "aggregator-in-branches",
    meaning: "The agent of 'then' is also a branch.",
    solution: "Use another agent for one of them.",
  },
  E222: {
    name: "duplicate-branch",
    meaning: "Two branches can't be told apart, or write the same name.",
    solution: "Give each its own 'id' or 'save_as'.",
  },
  E223: {
    name: "feedback-target-not-producer",
    meaning: "A feedback target does not produce a draft.",
    solution: "Name only producers.",
  },
  E224: {
    name: "dag-cycle",
    meaning: "Nodes need each other in a circle.",
    solution: "Remove one need of the circle.",
  },
  E225: {
    name: "dag-unknown-need",
    meaning: "A node needs a node that does not exist.",
    solution: "Name an existing node.",
  },
  E226: {
    name: "unreachable-step",
    meaning: "Nothing in 'outputs' depends on this node.",
    solution: "Use it in 'outputs', or remove it.",
  },
  E227: {
    name: "include-cycle",
    meaning: "Files include each other, or are nested too deeply.",
    solution: "Break the circle; 5 levels are allowed.",
  },
  E228: { name: "delegation-cycle", meaning: "A sub-agent contains an ancestor.", solution: "Remove the circle." },
  E229: {
    name: "depth-exceeded",
    meaning: "Sub-agents are nested deeper than allowed.",
    solution: "Raise max_delegation_depth (at most 4), or flatten.",
  },
  E231: {
    name: "bad-expression",
    meaning: "An expression or template can't be parsed.",
    solution: "Correct the marked column.",
  },
  E232: {
    name: "unknown-step-in-expression",
    meaning: "A step is unknown here or has not run yet.",
    solution: "Refer to an earlier step.",
  },
  E233: { name: "bad-json-schema", meaning: "A JSON Schema is not valid.", solution: "Correct the named place." },
  E241: {
    name: "missing-secret",
    meaning: "An environment variable is not set.",
    solution: "Set it, or choose another model.",
  },
  E242: {
    name: "memory-dimension",
    meaning: "Embedder and memory store disagree.",
    solution: "Use the embedder that filled the store, or another namespace.",
  },
  E243: {
    name: "no-price",
    meaning: "A money budget is set, but a model has no price.",
    solution: "Give the model a 'price'.",
  },
  W301: { name: "literal-secret", meaning: "A key stands in the file.", solution: "Use api_key_env." },
  W302: { name: "unused-agent", meaning: "No step uses this agent.", solution: "Use it or remove it." },
  W303: {
    name: "no-price",
    meaning: "A money budget is set, but a model has no price.",
    solution: "Give the model a 'price'.",
  },
  W304: {
    name: "context-window-small",
    meaning: "The fixed part of the prompt fills over half of the window.",
    solution: "Shorten it, or choose a larger window.",
  },
  W305: { name: "deprecated-key", meaning: "The key still works but has a new name.", solution: "Use the new name." },
  E401: {
    name: "provider",
    meaning: "A model provider failed.",
    solution: "The message names provider, class and status.",
  },
  E402: {
    name: "template",
    meaning: "A template names a value that does not exist.",
    solution: "Correct the path, or add '| default(\"…\")'.",
  },
  E403: { name: "tool", meaning: "A tool could not be used.", solution: "The message says why." },
  E404: { name: "guardrail", meaning: "A guardrail refused the text.", solution: "The message names the check." },
  E405: {
    name: "output-schema",
    meaning: "An input, an answer or the output of an agent does not fit its schema.",
    solution: "Give JSON that fits; for an agent raise output.repair, or simplify its schema.",
  },
  E406: { name: "timeout", meaning: "A time limit passed.", solution: "Raise timeout_ms." },
  E407: { name: "budget", meaning: "A budget is used up.", solution: "Raise the budget; partial results are kept." },
  E408: { name: "cancelled", meaning: "The run or step was cancelled.", solution: "Resume the run." },
  E409: { name: "memory", meaning: "The memory store or embedder failed.", solution: "The message says why." },
  E410: {
    name: "delegation-cycle",
    meaning: "Delegation came back to an agent that is waiting for it.",
    solution: "Change the roster.",
  },
  E411: {
    name: "suspended-twice",
    meaning: "The token is unknown, or was answered before.",
    solution: "Use a token of the suspended run.",
  },
  E412: {
    name: "checkpoint-mismatch",
    meaning: "The log does not belong to this flow.",
    solution: "Use the unchanged file, or --force.",
  },
  E499: {
    name: "internal",
    meaning: "A fault of ours, or of a component that was handed in.",
    solution: "Report it with the run's log.",
  },
} as const satisfies Record<string, CodeRow>;

/** A code of the table. */
export type Code = keyof typeof CODES;
