import { type MaybePromise, PraxisError, type WireStep } from "@praxis/env";
import { isRecord, notAnObject } from "../action.ts";
import type { MountedContext } from "../context.ts";
import type { SessionReply, StateReply } from "../env-runner.ts";
import { internalError, openErrorFrame } from "../error-body.ts";
import { checkParsedText, parseJsonText } from "../json-text.ts";
import { fieldsError } from "../lax-parse.ts";
import { answerRpc, isToolStep, toolStep } from "../mcp/index.ts";
import { parseTimeout } from "../timeout.ts";
import type { Channel, Door } from "./channel.ts";

type Message = Record<string, unknown>;

const OBSERVATION = '{"type":"observation","data":';
const STATE = '{"type":"state","data":';
const MCP = '{"type":"mcp","data":';
const SESSION = '{"type":"session","data":';
/** A close message is shorter than this. */
const MAX_CLOSE_LENGTH = 512;
/** Replies kept for a client that may have missed them. */
const KEPT_REPLIES = 16;
const MAX_TYPE_SHOWN = 100;

/** Keys of each message; `data` of state and close must be empty. Step takes any sibling, as later OpenEnv versions may add some. */
const KEYS: Readonly<Record<string, ReadonlySet<string>>> = {
  reset: new Set(["type", "data", "request_id"]),
  mcp: new Set(["type", "data", "request_id"]),
  state: new Set(["type", "data", "request_id"]),
  close: new Set(["type", "data", "request_id"]),
  session: new Set(["type", "data", "request_id"]),
};

/**
 * The session protocol of `/ws`: `reset`, `step`, `state`, `mcp`, `close`, and `session`, with which a client asks for its
 * session id and a token to resume by. A synchronous environment is answered synchronously.
 */
export class FrameDoor implements Door {
  readonly #context: MountedContext;
  readonly #channel: Channel;
  readonly #makeToken: (channel: Channel) => string;
  #token: string | null = null;
  #replies: Map<string, string> | null = null;

  /** @param makeToken makes the token by which the channel is found again */
  constructor(context: MountedContext, channel: Channel, makeToken: (channel: Channel) => string) {
    this.#context = context;
    this.#channel = channel;
    this.#makeToken = makeToken;
  }

  answer(text: string | null): MaybePromise<string | null> {
    this.#context.counters.messages++;
    if (text === null)
      return this.#refuse(
        new PraxisError("INVALID_JSON", "Invalid JSON: binary messages are not read; send text."),
        "}",
      );
    let tail = "}";
    try {
      const message = parseJsonText(text);
      if (!isRecord(message))
        throw new PraxisError("INVALID_JSON", `Invalid JSON: expected an object, got ${kindOf(message)}.`);
      const requestId = message.request_id;
      if (requestId === undefined) {
        checkParsedText(text, message);
        return this.#dispatch(message, tail);
      }
      const id = readRequestId(requestId);
      tail = `,"request_id":${id}}`;
      checkParsedText(text, message);
      const kept = this.#replies?.get(id);
      return kept ?? this.#remember(id, this.#dispatch(message, tail));
    } catch (error) {
      return this.#refuse(error, tail);
    }
  }

  isClose(text: string): boolean {
    if (text.length > MAX_CLOSE_LENGTH || !text.includes('"close"')) return false;
    try {
      const message: unknown = JSON.parse(text);
      return isRecord(message) && message.type === "close";
    } catch {
      return false;
    }
  }

  #dispatch(message: Message, tail: string): MaybePromise<string | null> {
    const type = message.type;
    if (type === "step") return this.#step(message, tail);
    if (typeof type !== "string" || !Object.hasOwn(KEYS, type)) {
      const shown = type === undefined ? "" : typeof type === "string" ? type : JSON.stringify(type);
      throw new PraxisError("UNKNOWN_TYPE", `Unknown message type: ${shown.slice(0, MAX_TYPE_SHOWN)}`);
    }
    checkKeys(message, KEYS[type]!);
    switch (type) {
      case "reset":
        return this.#reset(message, tail);
      case "mcp":
        return this.#mcp(message, tail);
      case "state":
        checkEmptyData(message);
        return this.#finish(this.#channel.session.state(), STATE, tail);
      case "session":
        checkEmptyData(message);
        return this.#session(tail);
      default:
        checkEmptyData(message);
        return null;
    }
  }

  #reset(message: Message, tail: string): MaybePromise<string> {
    const data = message.data ?? {};
    if (!isRecord(data)) throw notAnObject(data, ["data"], message);
    const { request, warnings } = this.#context.parseReset(data);
    return this.#finish(this.#channel.session.reset(request, warnings), OBSERVATION, tail);
  }

  #step(message: Message, tail: string): MaybePromise<string> {
    const data = message.data;
    if (!isRecord(data)) throw notAnObject(data, ["data"], message);
    const timeoutMs = message.timeout_s === undefined ? undefined : parseTimeout(message.timeout_s);
    const { session } = this.#channel;
    if (typeof data.type === "string" && isToolStep(data, this.#context)) {
      const wire = toolStep(data, this.#context, session, timeoutMs);
      return wire instanceof Promise
        ? wire.then(
            (settled) => observationText(settled, tail),
            (error: unknown) => this.#refuse(error, tail),
          )
        : observationText(wire, tail);
    }
    return this.#finish(session.step(this.#context.parseAction(data), timeoutMs), OBSERVATION, tail);
  }

  #mcp(message: Message, tail: string): MaybePromise<string> {
    if (!isRecord(message.data)) throw notAnObject(message.data, ["data"], message);
    const response = answerRpc(message.data, this.#context, this.#channel.session);
    if (!(response instanceof Promise)) return MCP + JSON.stringify(response) + tail;
    return response.then(
      (settled) => MCP + JSON.stringify(settled) + tail,
      (error: unknown) => this.#refuse(error, tail),
    );
  }

  #session(tail: string): string {
    if (this.#token === null && this.#channel.allowResume()) {
      this.#token = this.#makeToken(this.#channel);
      this.#replies = new Map();
    }
    const data = { session_id: this.#channel.session.id, resume_token: this.#token };
    return SESSION + JSON.stringify(data) + tail;
  }

  #finish(reply: MaybePromise<SessionReply | StateReply>, head: string, tail: string): MaybePromise<string> {
    if (!(reply instanceof Promise)) return head + reply.json + tail;
    return reply.then(
      (settled) => head + settled.json + tail,
      (error: unknown) => this.#refuse(error, tail),
    );
  }

  #refuse(error: unknown, tail: string): string {
    this.#context.counters.messageErrors++;
    const known = internalError(error);
    if (known !== error) this.#context.log.error({ err: error }, "a message could not be handled");
    return openErrorFrame(known) + tail;
  }

  /** A request that is sent again under its id after a lost socket gets its first reply, and is not carried out twice. */
  #remember(id: string, reply: MaybePromise<string | null>): MaybePromise<string | null> {
    if (this.#replies === null || reply === null) return reply;
    if (reply instanceof Promise) return reply.then((settled) => this.#keep(id, settled));
    return this.#keep(id, reply);
  }

  #keep(id: string, reply: string | null): string | null {
    const replies = this.#replies;
    if (replies !== null && reply !== null) {
      replies.set(id, reply);
      if (replies.size > KEPT_REPLIES) replies.delete(replies.keys().next().value as string);
    }
    return reply;
  }
}

const observationText = (wire: WireStep, tail: string): string => OBSERVATION + JSON.stringify(wire) + tail;

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  return value === null ? "null" : `a ${typeof value}`;
}

/** A request id as JSON text. Throws VALIDATION_ERROR unless it is a string of at most 255 characters or an integer. */
function readRequestId(id: unknown): string {
  if (typeof id === "string" && id.length <= 255 && id.isWellFormed()) return JSON.stringify(id);
  if (Number.isSafeInteger(id)) return String(id);
  throw fieldsError([
    typeof id === "string"
      ? {
          type: "string_too_long",
          loc: ["request_id"],
          msg: "String should have at most 255 characters",
          ctx: { max_length: 255 },
        }
      : { type: "string_type", loc: ["request_id"], msg: "Input should be a valid string" },
  ]);
}

function checkKeys(message: Message, known: ReadonlySet<string>): void {
  const extra = Object.keys(message).filter((key) => !known.has(key));
  if (extra.length > 0)
    throw fieldsError(
      extra.map((key) => ({
        type: "extra_forbidden",
        loc: [key],
        msg: "Extra inputs are not permitted",
        input: message[key],
      })),
    );
}

function checkEmptyData(message: Message): void {
  const { data } = message;
  if (data === undefined || data === null || (isRecord(data) && Object.keys(data).length === 0)) return;
  throw fieldsError([{ type: "extra_forbidden", loc: ["data"], msg: "Extra inputs are not permitted", input: data }]);
}
