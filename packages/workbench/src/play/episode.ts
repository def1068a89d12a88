import { PraxisError } from "@praxis/env";
import { connect, type RemoteEnv, type RemoteResult, RemoteServer } from "@praxis/env/remote";
import { serverOptions } from "../server/address.ts";
import { describeProblem } from "../server/problem.ts";
import { type Beginning, Branch, type WireObject } from "./branch.ts";
import { askPolicy } from "./policy-player.ts";

/** What an episode is played with. */
export interface EpisodeSetup {
  readonly url: string;
  readonly token: string;
  readonly actionSchema: WireObject;
  toAction(observation: WireObject, candidate: WireObject): WireObject;
}

/** Most branches at once: each holds a session of the server. */
export const MOST_BRANCHES = 6;

/**
 * One beginning and the branches played from it, each in a session of its own. Undo, fork and recovery play the actions
 * again from the same seed, and say so when the environment does not repeat itself.
 */
export class Episode {
  readonly beginning: Beginning;
  readonly server: RemoteServer;
  readonly branches: Branch[] = [];
  active = 0;
  readonly #setup: EpisodeSetup;
  readonly #changed: () => void;
  #isClosed = false;

  constructor(setup: EpisodeSetup, beginning: Beginning, changed: () => void) {
    this.#setup = setup;
    this.beginning = beginning;
    this.server = new RemoteServer(serverOptions(setup.url, setup.token));
    this.#changed = changed;
  }

  get branch(): Branch {
    return this.branches[this.active]!;
  }

  /** Opens the first branch and resets it. */
  async begin(): Promise<void> {
    const branch = new Branch(0, null, 0);
    this.branches.push(branch);
    await this.#work(branch, async () => {
      branch.start = await this.#reset(await this.#env(branch));
    });
  }

  select(index: number): void {
    if (this.branches[index] === undefined) return;
    this.active = index;
    this.#changed();
  }

  /** Takes an action on a branch. */
  async step(
    branch: Branch,
    action: WireObject,
    by = "you",
    said: Branch["turns"][number]["said"] = [],
  ): Promise<void> {
    await this.#work(branch, async () => {
      const result = await (await this.#env(branch)).step(action);
      branch.add({ action, by, result, said, odds: null });
    });
  }

  /** Asks a policy and takes its action. */
  async stepBy(branch: Branch, policy: string): Promise<void> {
    await this.#work(branch, async () => {
      const { last } = branch;
      if (last === null || last.done) return;
      const { action, said, odds } = await askPolicy(this.server, policy, {
        beginning: this.beginning,
        actions: () => branch.turns.map((turn) => turn.action),
        observation: last.observation,
        info: last.info as WireObject,
        actionSchema: this.#setup.actionSchema,
        toAction: this.#setup.toAction,
      });
      const result = await (await this.#env(branch)).step(action);
      branch.add({ action, by: policy, result, said, odds });
    });
  }

  /** Lets a policy play on until the end, a pause or a problem. `pauseMs` is asked before every step. */
  async run(branch: Branch, policy: string, pauseMs: () => number): Promise<void> {
    branch.running = policy;
    this.#changed();
    while (branch.running === policy && !branch.isOver && !this.#isClosed) {
      await this.stepBy(branch, policy);
      if (branch.problem !== null || branch.state === "lost") break;
      const ms = pauseMs();
      if (ms > 0 && !branch.isOver) await new Promise((resolve) => setTimeout(resolve, ms));
    }
    branch.running = null;
    this.#changed();
  }

  pause(branch: Branch): void {
    branch.running = null;
    this.#changed();
  }

  /** Takes back the last step: all before it are played again. */
  async undo(branch: Branch): Promise<void> {
    const wanted = branch.turns.length - 1;
    if (wanted < 0) return;
    await this.#work(branch, async () => {
      await this.#playAgain(branch, await this.#env(branch), branch, wanted);
      branch.cut(wanted);
    });
  }

  /** A new branch from after `step` steps of another; it becomes the active one. */
  async fork(from: Branch, step: number): Promise<void> {
    if (this.branches.length >= MOST_BRANCHES) return;
    const branch = new Branch(this.branches.length, from.id, step);
    this.branches.push(branch);
    this.active = this.branches.length - 1;
    await this.#work(branch, async () => {
      await this.#playAgain(from, await this.#env(branch), branch, step);
      for (const turn of from.turns.slice(0, step)) branch.add(turn);
    });
  }

  /** Plays a lost branch again on a new session. */
  async recover(branch: Branch): Promise<void> {
    await this.#work(branch, async () => {
      await branch.env?.close();
      branch.env = null;
      await this.#playAgain(branch, await this.#env(branch), branch, branch.turns.length);
    });
  }

  /** Ends all sessions. */
  close(): void {
    this.#isClosed = true;
    for (const branch of this.branches) {
      branch.running = null;
      branch.env?.close().catch(() => undefined);
    }
  }

  async #env(branch: Branch): Promise<RemoteEnv> {
    branch.env ??= await connect({ ...serverOptions(this.#setup.url, this.#setup.token), capacityWaitMs: 2_000 });
    return branch.env;
  }

  #reset(env: RemoteEnv): Promise<RemoteResult> {
    const { seed, episodeId, options } = this.beginning;
    return env.reset({ seed, options, ...(episodeId === null ? {} : { episodeId }) });
  }

  /** Resets `env` and takes the first `steps` actions of `from`; notes on `to` where it went another way than before. */
  async #playAgain(from: Branch, env: RemoteEnv, to: Branch, steps: number): Promise<void> {
    const start = await this.#reset(env);
    to.warning = null;
    let differs = from.start !== null && !isSame(start, from.start) ? 0 : -1;
    for (let i = 0; i < steps; i++) {
      const turn = from.turns[i]!;
      const result = await env.step(turn.action);
      if (differs === -1 && !isSame(result, turn.result)) differs = i + 1;
    }
    to.start = from.start ?? start;
    if (differs !== -1)
      to.warning = `This environment did not repeat itself: the same seed and actions gave something else ${differs === 0 ? "at the reset" : `at step ${differs}`}. What follows is not comparable with what was before.`;
  }

  async #work(branch: Branch, act: () => Promise<void>): Promise<void> {
    if (branch.state === "busy") return;
    branch.state = branch.start === null ? "opening" : "busy";
    branch.problem = null;
    this.#changed();
    try {
      await act();
      branch.state = "ready";
    } catch (error) {
      branch.problem = describeProblem(error);
      branch.running = null;
      const isGone = error instanceof PraxisError && GONE.has(error.code);
      branch.state = isGone || branch.start === null ? "lost" : "ready";
    }
    this.#changed();
  }
}

/** After these a session is not there any more. */
const GONE: ReadonlySet<string> = new Set([
  "CONNECTION_LOST",
  "CLIENT_TIMEOUT",
  "UNKNOWN_SESSION",
  "SESSION_EXPIRED",
  "SHUTTING_DOWN",
  "CAPACITY_REACHED",
  "FACTORY_ERROR",
]);

function isSame(a: RemoteResult, b: RemoteResult): boolean {
  return a.reward === b.reward && a.done === b.done && JSON.stringify(a.observation) === JSON.stringify(b.observation);
}
