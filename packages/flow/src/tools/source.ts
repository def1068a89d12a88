import { nearestName } from "../config/nearest.ts";
import type { AgentPlan, FlowPlan, ServerPlan } from "../config/plan.ts";
import { FlowError } from "../errors.ts";
import type { Tool, ToolSource } from "./tool.ts";

/** Settings of a tool after the agent's have narrowed them. */
export type ToolSettings = Readonly<Record<string, unknown>>;

/** Makes a built-in tool for a flow file. */
export type MakeTool = (settings: ToolSettings, file: string) => Tool | Promise<Tool>;

/** A connected tool server. */
export interface ServerConnection {
  /** Tools as the server lists them now. */
  tools(): Promise<readonly Omit<Tool, "approval" | "idempotent">[]>;
  close(): Promise<void>;
}

/** What tools are made of. */
export interface ToolHost {
  readonly builtIns: Readonly<Record<string, MakeTool>>;
  /** Tools of the host's own. */
  readonly tools?: readonly Tool[];
  readonly connect?: (server: ServerPlan, file: string) => Promise<ServerConnection>;
}

/** Finds tools by name: built-in, of the host, or of a server, which is connected at first use and kept for the run. */
export function makeToolSource(host: ToolHost): ToolSource {
  const connections = new Map<ServerPlan, Promise<ServerConnection>>();
  const connectionOf = (server: ServerPlan, file: string): Promise<ServerConnection> => {
    let connection = connections.get(server);
    if (connection === undefined) {
      if (host.connect === undefined)
        throw new FlowError("E403", "tool", `The tool server '${server.name}' can't be reached here.`);
      connection = host.connect(server, file);
      connections.set(server, connection);
      // A server that could not be reached may be there at the next try.
      connection.catch(() => connections.delete(server));
    }
    return connection;
  };
  const serverTools = async (plan: FlowPlan, server: ServerPlan, wanted: string): Promise<readonly Tool[]> => {
    const connection = await connectionOf(server, plan.file);
    const all = (await connection.tools()).map(
      (tool): Tool => ({
        ...tool,
        name: `${server.name}/${tool.name}`,
        approval: server.approval,
        idempotent: server.idempotent,
      }),
    );
    if (wanted === "*") return all;
    const found = all.filter((tool) => tool.name === `${server.name}/${wanted}`);
    if (found.length > 0) return found;
    const names = all.map((tool) => tool.name);
    const near = nearestName(`${server.name}/${wanted}`, names);
    throw new FlowError(
      "E403",
      "tool",
      `The server '${server.name}' has no tool '${wanted}'.${near === undefined ? "" : ` Did you mean '${near}'?`} It has: ${names.join(", ") || "none"}.`,
    );
  };
  const resolveOne = async (plan: FlowPlan, agent: AgentPlan, name: string): Promise<readonly Tool[]> => {
    const slash = name.indexOf("/");
    const server = plan.servers.get(slash === -1 ? name : name.slice(0, slash));
    if (server !== undefined) return serverTools(plan, server, slash === -1 ? "*" : name.slice(slash + 1));
    const own = host.tools?.find((tool) => tool.name === name);
    if (own !== undefined) return [own];
    const make = host.builtIns[name];
    if (make === undefined)
      throw new FlowError("E403", "tool", `The tool '${name}' of '${agent.id}' does not exist here.`);
    return [await make(narrow(plan.toolSettings[name] ?? {}, agent.toolConfig[name] ?? {}), plan.file)];
  };
  return {
    resolve: async (plan, agent) =>
      (await Promise.all(agent.tools.map((name) => resolveOne(plan, agent, name)))).flat(),
    close: async () => {
      const open = [...connections.values()];
      connections.clear();
      await Promise.allSettled(open.map(async (connection) => (await connection).close()));
    },
  };
}

/** An agent's settings applied to those of the file; nothing becomes wider by it. */
export function narrow(base: ToolSettings, wanted: ToolSettings): ToolSettings {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(wanted)) {
    const known = base[key];
    if (Array.isArray(known) && Array.isArray(value)) result[key] = known.filter((item) => value.includes(item));
    else if (typeof known === "number" && typeof value === "number") result[key] = Math.min(known, value);
    else if (key === "approval") result[key] = stricter(known, value);
    else if (key === "idempotent") result[key] = known === true && value === true;
    // A folder within the folder: the tool checks that it is.
    else if (key === "root" && known !== undefined) result.inside = known;
    if (key === "root") result.root = value;
    else if (!(key in result)) result[key] = value;
  }
  return result;
}

function stricter(a: unknown, b: unknown): unknown {
  const order = ["never", "first", "always"];
  return order[Math.max(order.indexOf(String(a ?? "never")), order.indexOf(String(b)))];
}
