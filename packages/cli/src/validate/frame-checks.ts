import { type Check, type CheckGroup, CheckSkip, expect, show } from "./check.ts";
import { expectState } from "./session-checks.ts";
import { field, type Target } from "./target.ts";

interface BadFrame {
  readonly id: string;
  readonly title: string;
  /** True where the reference server keeps the session too. */
  readonly required: boolean;
  readonly frame: string | Uint8Array;
  /** Code the error must have; any, if left out. */
  readonly code?: string;
  /** False when a server may also take the frame as an action. */
  readonly mustFail: boolean;
}

const DEEP = 5000;

const BAD_FRAMES: readonly BadFrame[] = [
  { id: "not_json", title: "Text that is not JSON", required: true, frame: "{", code: "INVALID_JSON", mustFail: true },
  {
    id: "unknown_type",
    title: "An unknown type",
    required: true,
    frame: '{"type":"dance"}',
    code: "UNKNOWN_TYPE",
    mustFail: true,
  },
  {
    id: "no_type",
    title: "A missing type",
    required: true,
    frame: '{"data":{}}',
    code: "UNKNOWN_TYPE",
    mustFail: true,
  },
  {
    id: "step_without_data",
    title: "A step without data",
    required: true,
    frame: '{"type":"step"}',
    code: "VALIDATION_ERROR",
    mustFail: true,
  },
  {
    id: "unknown_key",
    title: "An unknown key beside type",
    required: false,
    frame: '{"type":"state","colour":"red"}',
    code: "VALIDATION_ERROR",
    mustFail: true,
  },
  { id: "array", title: "A JSON array", required: false, frame: "[1,2]", mustFail: true },
  { id: "number", title: "A JSON number", required: false, frame: "7", mustFail: true },
  { id: "null", title: "A JSON null", required: false, frame: "null", mustFail: true },
  { id: "string", title: "A JSON string", required: false, frame: '"x"', mustFail: true },
  { id: "binary", title: "A binary frame", required: false, frame: Uint8Array.of(1, 2, 3), mustFail: true },
  {
    id: "nan_token",
    title: "A NaN token in an action",
    required: false,
    frame: '{"type":"step","data":{"__validate__":NaN}}',
    mustFail: true,
  },
  {
    id: "deep",
    title: `Nesting ${DEEP} levels deep`,
    required: false,
    frame: `{"type":"step","data":{"a":${"[".repeat(DEEP)}${"]".repeat(DEEP)}}}`,
    mustFail: true,
  },
  {
    id: "lone_surrogate",
    title: "A lone surrogate in an action",
    required: false,
    frame: '{"type":"step","data":{"__validate__":"\\ud800"}}',
    mustFail: true,
  },
  {
    id: "proto",
    title: "A __proto__ key in an action",
    required: false,
    frame: '{"type":"step","data":{"__proto__":{"polluted":true}}}',
    mustFail: true,
  },
  {
    id: "reset_with_proto",
    title: "A __proto__ key in a reset",
    required: false,
    frame: '{"type":"reset","data":{"__proto__":{"polluted":true}}}',
    mustFail: false,
  },
];

const badFrameCheck = ({ id, title, required, frame, code, mustFail }: BadFrame): Check<Target> => ({
  id: `frame_${id}`,
  title: `${title} is ${mustFail ? "refused" : "answered"} and the session lives`,
  required,
  run: (target) =>
    target.withSession(async (socket) => {
      const before = expectState(await socket.ask({ type: "state" }));
      socket.sendRaw(frame);
      const reply = (await socket.next()).json;
      const isError = field(reply, "type") === "error";
      const seen = field(reply, "data", "code");
      expect(isError || !mustFail, `it was accepted: ${show(reply)}`);
      expect(code === undefined || seen === code, `the code was ${show(seen)}, not ${code}`);
      const after = expectState(await socket.ask({ type: "state" }));
      if (isError) expect(show(after) === show(before), `state changed from ${show(before)} to ${show(after)}`);
      return isError ? String(seen) : "accepted";
    }),
});

/** Frames that no environment should be handed: each gets one error, changes nothing and ends nothing. */
export const frameChecks: CheckGroup<Target> = {
  name: "Bad frames",
  checks: [
    ...BAD_FRAMES.map(badFrameCheck),
    {
      id: "frame_bad_action",
      title: "An action with an unknown field is refused with the field's place, and changes nothing",
      required: true,
      async run(target) {
        const action = await target.action();
        return await target.withSession(async (socket) => {
          const before = expectState(await socket.ask({ type: "state" }));
          const reply = await socket.ask({ type: "step", data: { ...action, __validate__: 1 } });
          if (field(reply, "type") === "observation") throw new CheckSkip("this action model takes unknown fields");
          expect(field(reply, "data", "code") === "VALIDATION_ERROR", `the answer was ${show(reply)}`);
          expect(Array.isArray(field(reply, "data", "errors")), "the error names no fields in `errors`");
          const after = expectState(await socket.ask({ type: "state" }));
          expect(show(after) === show(before), `state changed from ${show(before)} to ${show(after)}`);
        });
      },
    },
  ],
};
