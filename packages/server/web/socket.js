import { HINTS } from "./hints.js";

/** What a failed call is told with. */
export class CallError extends Error {
  constructor(code, message, errors = []) {
    super(message);
    this.code = code;
    this.hint = HINTS[code] ?? "";
    this.errors = errors;
  }
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
const HELLO = "hello";
/** Close codes of the server that say more than "lost". */
const CLOSE_CODES = { 1001: "SHUTTING_DOWN", 1009: "MESSAGE_TOO_LARGE", 4408: "SESSION_EXPIRED" };
const LOST = new Set(["CONNECTION_LOST", "SHUTTING_DOWN"]);

/**
 * The session of this tab on `/ws`: opened by the first call, one call at a time. When its socket drops, another is tried
 * until the server answers: it keeps the session for a while, and carries the call in flight out once. If it has kept
 * nothing, or refuses the session, the call fails and the next one opens a new session.
 */
export class TabSession {
  #url;
  #onChange;
  #socket = null;
  /** True from the server's first answer on a socket to its end. */
  #isReady = false;
  /** The call in flight: request id, text, resolve, reject. */
  #call = null;
  /** With it the session is found again. */
  #token = null;
  #timer;
  #delayMs = FIRST_DELAY_MS;
  #nextId = 1;
  #isClosed = false;

  /** @param onChange called with a state ("connecting", "open", "resumed", "lost", "gone", "closed") and an error or null */
  constructor(url, onChange) {
    this.#url = url;
    this.#onChange = onChange;
  }

  /** Sends a frame and gives the reply's data. */
  call(frame) {
    if (this.#call !== null)
      return Promise.reject(new CallError("SESSION_BUSY", "The last call still runs; wait for its answer."));
    return new Promise((resolve, reject) => {
      const id = `p${this.#nextId++}`;
      this.#call = { id, text: JSON.stringify({ ...frame, request_id: id }), resolve, reject };
      if (this.#socket === null) this.#open();
      else if (this.#isReady) this.#send();
    });
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#socket?.readyState === 1) this.#socket.send('{"type":"close"}');
    this.#socket?.close();
  }

  #open() {
    clearTimeout(this.#timer);
    const isResuming = this.#token !== null;
    const url = new URL(this.#url);
    if (isResuming) url.searchParams.set("resume", this.#token);
    else this.#onChange("connecting", null);
    const socket = new WebSocket(url);
    this.#socket = socket;
    let failure = null;
    // The answer says that the session is there, and by which token to come back.
    socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "session", request_id: HELLO })));
    socket.addEventListener("message", (event) => {
      const { type, data, request_id: id } = JSON.parse(event.data);
      const error = type === "error" ? new CallError(data.praxis_code ?? data.code, data.message, data.errors) : null;
      if (id === HELLO && error === null) {
        this.#token = data.resume_token;
        this.#delayMs = FIRST_DELAY_MS;
        this.#isReady = true;
        this.#onChange(isResuming ? "resumed" : "open", null);
        this.#send();
      } else if (this.#call !== null && this.#call.id === id) {
        const call = this.#settle();
        if (error === null) call.resolve(data);
        else call.reject(error);
      } else failure ??= error; // A refusal at the door comes unasked.
    });
    socket.addEventListener("close", ({ code, reason }) => {
      const row = CLOSE_CODES[code] ?? "CONNECTION_LOST";
      const text = `The connection closed (${reason === "" ? code : `${code}: ${reason}`}).`;
      this.#lose(failure ?? new CallError(row, text), isResuming);
    });
  }

  #send() {
    if (this.#call !== null) this.#socket.send(this.#call.text);
  }

  #settle() {
    const call = this.#call;
    this.#call = null;
    return call;
  }

  #lose(error, wasResuming) {
    this.#socket = null;
    this.#isReady = false;
    if (this.#isClosed) return;
    if (this.#token !== null && LOST.has(error.code)) {
      this.#timer = setTimeout(() => this.#open(), this.#delayMs);
      this.#onChange("lost", error);
      this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS);
      return;
    }
    this.#token = null;
    this.#settle()?.reject(error);
    this.#onChange(wasResuming ? "gone" : "closed", error);
  }
}
