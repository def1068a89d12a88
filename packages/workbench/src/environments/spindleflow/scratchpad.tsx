import type { Branch, WireObject } from "../../play/branch.ts";
import { isObject } from "../../schema/json-schema.ts";
import { Panel } from "../../ui/panel.tsx";
import { Term } from "../../ui/term.tsx";
import { count, number } from "../../ui/text.ts";
import { Flags } from "./flags.tsx";
import { partyName, type Seat, seconds, type TaskWork } from "./observation.ts";
import type { Situation } from "./use-situation.ts";

/** A piece of work on the pad. */
interface Entry {
  readonly key: string;
  readonly author: string;
  readonly step: number;
  readonly text: string;
  readonly flags: readonly string[];
}

/** Entries that the environment tells: texts of agents that really wrote them. */
function toldEntries(info: WireObject): readonly Entry[] | null {
  if (!Array.isArray(info.scratchpad)) return null;
  return info.scratchpad.filter(isObject).map((entry, index) => ({
    key: String(entry.id ?? index),
    author: typeof entry.authorSlot === "number" ? partyName(entry.authorSlot) : String(entry.authorSlot ?? ""),
    step: Number(entry.step ?? 0),
    text: String(entry.text ?? ""),
    flags: Array.isArray(entry.flags) ? entry.flags.map(String) : [],
  }));
}

/** What was delivered in a task, newest first: agents' own texts where there are any, else what the simulation tells of each. */
export function Scratchpad({
  branch,
  step,
  work,
  roster,
  situation,
}: {
  readonly branch: Branch;
  readonly step: number;
  readonly work: TaskWork;
  readonly roster: readonly Seat[];
  readonly situation: Situation | null;
}) {
  const told = toldEntries((branch.resultAt(step)?.info ?? {}) as WireObject);
  const entries: readonly Entry[] =
    told ??
    work.calls
      .filter(({ status }) => status === "ok")
      .map(({ callee, step: at, score, endMs, mode }, index) => ({
        key: String(index),
        author: partyName(callee),
        step: at,
        text: `${typeof callee === "number" ? (roster[callee]?.role ?? "") : mode}: delivered after ${seconds(endMs)}${score === null ? "" : `, scored ${number(score, 2)} alone`}`,
        flags: typeof callee === "number" ? (situation?.seats[callee]?.flags ?? []) : [],
      }));
  return (
    <Panel
      title={<Term word="scratchpad">Scratchpad</Term>}
      aside={<span className="quiet">{count(entries.length, "entry", "entries")}</span>}
    >
      {entries.length === 0 ? (
        <p className="empty">Nothing delivered in this task yet.</p>
      ) : (
        <ol className="pad">
          {[...entries].reverse().map(({ key, author, step: at, text, flags }) => (
            <li key={key}>
              <p>
                <strong>{author}</strong> <span className="quiet">step {at}</span>
              </p>
              <p className="pad-text">{text}</p>
              {flags.length === 0 ? null : <Flags flags={flags} />}
            </li>
          ))}
        </ol>
      )}
      {told === null ? <p className="hint">Simulated specialists deliver work of a quality, not texts.</p> : null}
    </Panel>
  );
}
