import type { ServerOptions } from "@praxis/server";

type RoleTokens = NonNullable<ServerOptions["tokens"]>;

/** Bearer tokens by role from variables; they come that way since flags can be read by every user of a machine. */
export function roleTokensFrom(variables: Readonly<Record<string, string | undefined>>): RoleTokens {
  const given = {
    trainer: variables.PRAXIS_TRAINER_TOKEN,
    agent: variables.PRAXIS_AGENT_TOKEN,
    viewer: variables.PRAXIS_VIEWER_TOKEN,
  };
  return Object.fromEntries(Object.entries(given).filter(([, token]) => token !== undefined && token !== ""));
}
