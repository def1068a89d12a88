import type { Turn } from "../../play/branch.ts";
import { isObject } from "../../schema/json-schema.ts";
import { Term } from "../../ui/term.tsx";
import { number } from "../../ui/text.ts";
import { metaName, modeName, type Seat } from "./observation.ts";

/** Parts of a decision by name, in the order they are shown, and the meta-actions that use them (null: all). */
const PARTS = [
  { name: "meta", title: "What to do", usedBy: null },
  { name: "mode", title: "How, if somebody is called", usedBy: ["callSpecialist"] },
  { name: "slot", title: "Chance of each to be among the called", usedBy: ["callSpecialist", "parallelSpawn"] },
  { name: "lead", title: "Who leads", usedBy: ["delegateSubtask"] },
] as const;

/** How likely a learned policy found each choice; in words where nothing is stated. */
export function Odds({
  turn,
  meta,
  roster,
}: {
  readonly turn: Turn;
  readonly meta: string;
  readonly roster: readonly Seat[];
}) {
  const { annotation } = turn.action;
  const { probability, valueEstimate } = isObject(annotation) ? annotation : {};
  if (turn.odds === null)
    return turn.by === "you" ? null : (
      <p className="quiet">This policy follows rules or plans; it states no probabilities.</p>
    );
  const nameOf = (part: string, choice: string): string => {
    if (part === "meta") return metaName(choice);
    if (part === "mode") return modeName(choice);
    return `slot ${choice}${roster[Number(choice)] === undefined ? "" : `, ${roster[Number(choice)]!.role}`}`;
  };
  return (
    <details className="odds" open>
      <summary>
        How likely it found each choice
        {typeof probability === "number" ? `; of all of it together ${percent(probability)}` : ""}
        {typeof valueEstimate === "number" ? `; expected return from here ${number(valueEstimate, 3)}` : ""}
      </summary>
      <p className="hint">
        Each number is a <Term word="probability">probability</Term> by the policy's own account.
      </p>
      {PARTS.flatMap(({ name, title, usedBy }) => {
        const chances = Object.entries(turn.odds?.[name] ?? {});
        if (chances.length === 0 || (usedBy !== null && !(usedBy as readonly string[]).includes(meta))) return [];
        return (
          <table key={name} className="bars">
            <caption>{title}</caption>
            <tbody>
              {chances.map(([choice, chance]) => (
                <tr key={choice}>
                  <th scope="row">{nameOf(name, choice)}</th>
                  <td className="number">{percent(chance)}</td>
                  <td className="bar-cell">
                    <span className="bar-fill" style={{ width: `${100 * Math.min(1, chance)}%` }} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        );
      })}
    </details>
  );
}

const percent = (share: number): string => (share > 0 && share < 0.001 ? "under 0.1 %" : `${number(100 * share, 3)} %`);
