import { Panel } from "../../ui/panel.tsx";
import { Term } from "../../ui/term.tsx";
import { count, number, words } from "../../ui/text.ts";
import { Flags } from "./flags.tsx";
import type { Seat } from "./observation.ts";
import type { Situation } from "./use-situation.ts";

const MARKS: Readonly<Record<Seat["status"], string>> = { empty: "–", free: "○", delivered: "✓", failed: "⊘" };

/** Who sits in which slot: role, own words, what they claim, and how like the task that is. */
export function Roster({
  roster,
  situation,
}: {
  readonly roster: readonly Seat[];
  readonly situation: Situation | null;
}) {
  const filled = roster.filter(({ status }) => status !== "empty");
  return (
    <Panel
      title={<Term word="roster">Roster</Term>}
      aside={<span className="quiet">{count(filled.length, "specialist")}; what they say may be false</span>}
    >
      <ul className="seats">
        {filled.map(({ slot, role, text, status }) => {
          const reading = situation?.seats[slot] ?? null;
          return (
            <li key={slot} className={`seat ${status}`}>
              <div className="seat-head">
                <div>
                  <span className="quiet">Slot {slot}</span>
                  <strong>{role}</strong>
                </div>
                <span className={`state ${status === "delivered" ? "completed" : status}`}>
                  <span aria-hidden="true">{MARKS[status]} </span>
                  {status}
                </span>
              </div>
              <p>{text}</p>
              {reading === null ? null : (
                <>
                  <ul className="claims" aria-label={`What slot ${slot} claims`}>
                    {reading.claims.map((claim) => (
                      <li key={claim}>{words(claim)}</li>
                    ))}
                  </ul>
                  <p className="seat-likeness quiet">
                    <span>
                      <Term word="likeness">Likeness</Term> to the task {number(reading.similarity, 2)}
                    </span>
                    <span className="meter" aria-hidden="true">
                      <span style={{ width: `${100 * Math.max(0, reading.similarity)}%` }} />
                    </span>
                  </p>
                  {reading.flags.length === 0 ? null : <Flags flags={reading.flags} />}
                </>
              )}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
