import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { FlowError } from "../errors.ts";

const STARTER = `# A flow: agents, and how they work together. Check it with 'praxis flow check', run it with
#   praxis flow run FILE -i "Should we store events in rows or in columns?"
version: 1
name: NAME

models:
  # Answers without a network, the same each time; good for trying the flow out.
  simulated: { provider: simulated, model: simulated-1 }
  # A real model: set OPENAI_API_KEY and run with '--model real'.
  real: { provider: openai, model: gpt-4o-mini, temperature: 0.2, max_tokens: 1024 }
provider: simulated

agents:
  - id: researcher
    role: a researcher
    goal: Collect the facts that decide the question
  - id: sceptic
    role: a sceptic
    goal: Find what speaks against the obvious answer
  - id: writer
    role: an editor
    goal: Write a short, clear answer for a busy reader

workflow:
  type: parallel
  branches: [researcher, sceptic]
  then:
    agent: writer

budgets: { max_tokens: 50000 }
`;

/** Writes a flow to begin with. @throws FlowError E104 when the file exists */
export function newFlow(file: string): void {
  if (existsSync(file)) throw new FlowError("E104", "invalid_request", `'${file}' exists already; name another file.`);
  const name = file.slice(file.lastIndexOf("/") + 1).replace(/\.ya?ml$/i, "");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, STARTER.replace("NAME", name));
}
