import { RemoteServer } from "@praxis/env/remote";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { ownBase, serverOptions } from "./address.ts";
import { describeProblem, type Problem } from "./problem.ts";

/** How often the server is asked whether it is there, in ms. */
const ASK_EVERY_MS = 5_000;

/** What the page knows of the server that it came from. */
export interface ServerLink {
  readonly base: string;
  readonly token: string;
  setToken(token: string): void;
  /** `asking` until the first answer. */
  readonly state: "asking" | "up" | "away";
  readonly sessions: { readonly active: number; readonly max: number } | null;
  readonly problem: Problem | null;
  /** Names of the environments; null until known. */
  readonly environments: readonly string[] | null;
  readonly server: RemoteServer;
}

const LinkContext = createContext<ServerLink | null>(null);

/** The link of the page around. */
export function useLink(): ServerLink {
  const link = useContext(LinkContext);
  if (link === null) throw new Error("useLink is for what stands inside LinkProvider");
  return link;
}

/** Watches the server that the page came from. */
export function LinkProvider({ children }: { readonly children: ReactNode }) {
  const base = useMemo(() => ownBase(), []);
  const [token, setTokenState] = useState("");
  const [watched, setWatched] = useState<Pick<ServerLink, "state" | "sessions" | "problem" | "environments">>({
    state: "asking",
    sessions: null,
    problem: null,
    environments: null,
  });
  const server = useMemo(() => new RemoteServer(serverOptions(base, token)), [base, token]);
  useEffect(() => {
    let isOver = false;
    const ask = async (): Promise<void> => {
      try {
        const health = await server.health();
        if (isOver) return;
        const { active_sessions: active, max_sessions: max } = health;
        const sessions = typeof active === "number" && typeof max === "number" ? { active, max } : null;
        setWatched((before) => ({ ...before, state: "up", sessions }));
      } catch {
        if (!isOver) setWatched((before) => ({ ...before, state: "away", sessions: null }));
      }
    };
    const list = async (): Promise<void> => {
      try {
        const environments = await server.listEnvironments();
        if (!isOver) setWatched((before) => ({ ...before, environments, problem: null }));
      } catch (error) {
        if (!isOver) setWatched((before) => ({ ...before, problem: describeProblem(error) }));
      }
    };
    void ask();
    void list();
    const timer = setInterval(() => void ask(), ASK_EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [server]);
  const setToken = useCallback((text: string) => setTokenState(text.trim()), []);
  const link = useMemo(() => ({ base, token, setToken, server, ...watched }), [base, token, setToken, server, watched]);
  return <LinkContext value={link}>{children}</LinkContext>;
}

/** One line on the server in the bar. */
export function Link() {
  const { state, sessions } = useLink();
  const text = state === "asking" ? "Asking the server" : state === "away" ? "Server does not answer" : "Server is up";
  return (
    <p className={`link ${state}`} role="status">
      <span className="dot" aria-hidden="true" />
      {text}
      {sessions === null ? null : (
        <span className="quiet wide-only">
          , {sessions.active} of {sessions.max} sessions
        </span>
      )}
    </p>
  );
}
