import type { MaybePromise } from "@praxis/env";
import type { MountedContext } from "../context.ts";
import { internalError } from "../error-body.ts";
import { checkParsedText, parseJsonText } from "../json-text.ts";
import { answerRpc, rpcError, rpcParseError } from "../mcp/index.ts";
import type { Session } from "../session.ts";
import type { Door } from "./channel.ts";

/** JSON-RPC over WebSocket `/mcp`: one response for each message. */
export class RpcDoor implements Door {
  readonly #context: MountedContext;
  readonly #session: Session;

  constructor(context: MountedContext, session: Session) {
    this.#context = context;
    this.#session = session;
  }

  answer(text: string | null): MaybePromise<string> {
    this.#context.counters.messages++;
    if (text === null) return JSON.stringify(rpcParseError("binary messages are not read; send text"));
    let message: unknown;
    try {
      message = parseJsonText(text);
      checkParsedText(text, message);
    } catch (error) {
      return JSON.stringify(rpcParseError(internalError(error).message.replace(/^Invalid JSON: /, "")));
    }
    const response = answerRpc(message, this.#context, this.#session);
    if (!(response instanceof Promise)) return JSON.stringify(response);
    return response.then(
      (settled) => JSON.stringify(settled),
      (error: unknown) => {
        this.#context.log.error({ err: error }, "a JSON-RPC message could not be handled");
        return JSON.stringify(rpcError(internalError(error)));
      },
    );
  }

  isClose(): boolean {
    return false;
  }
}
