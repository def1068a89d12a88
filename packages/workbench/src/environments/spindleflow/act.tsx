import { type FormEvent, useEffect, useId, useState } from "react";
import { Term } from "../../ui/term.tsx";
import type { ActProps } from "../module.ts";
import { asSpindleFlow, META_ACTIONS, type MetaAction, MODES, metaName, modeName } from "./observation.ts";

const TAKES_SLOTS: ReadonlySet<MetaAction> = new Set(["callSpecialist", "delegateSubtask", "parallelSpawn"]);

/** Chooses a meta-action, whom it is about in the order of choosing, and the mode. What is not legal can't be chosen. */
export function SpindleFlowAct({ observation, canAct, onTake }: ActProps) {
  const id = useId();
  const { action_mask: mask, summary } = asSpindleFlow(observation);
  const legal = META_ACTIONS.filter((_, index) => mask.meta[index]);
  const [wanted, setMeta] = useState<MetaAction>("callSpecialist");
  const [slots, setSlots] = useState<readonly number[]>([]);
  const [mode, setMode] = useState<string>(MODES[0]);
  const meta = legal.includes(wanted) ? wanted : (legal[0] ?? "stop");
  // biome-ignore lint/correctness/useExhaustiveDependencies: who was chosen belongs to the step it was offered at
  useEffect(() => setSlots([]), [observation]);
  const takesSlots = TAKES_SLOTS.has(meta);
  const isLead = meta === "delegateSubtask";
  const mayChoose = (slot: number): boolean => {
    if (!isLead) return mask.slots[slot] === true;
    const [lead] = slots;
    return lead === undefined || lead === slot ? mask.leads[slot] === true : mask.consult[lead]?.[slot] === true;
  };
  const chosen = slots.filter(mayChoose);
  const isComplete = !takesSlots || chosen.length >= (isLead ? 2 : 1);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!canAct || !isComplete) return;
    onTake({ meta, ...(takesSlots ? { slots: chosen } : {}), ...(meta === "callSpecialist" ? { mode } : {}) });
  };
  return (
    <form className="act" aria-label="Next action" onSubmit={submit}>
      <fieldset className="offers" disabled={!canAct}>
        <legend className="visually-hidden">What to do</legend>
        {META_ACTIONS.map((name) => {
          const isLegal = legal.includes(name);
          return (
            <label key={name} className={`offer${name === meta ? " chosen" : ""}${isLegal ? "" : " illegal"}`}>
              <input
                type="radio"
                name={`${id}meta`}
                value={name}
                checked={name === meta}
                disabled={!isLegal}
                onChange={() => {
                  setMeta(name);
                  setSlots([]);
                }}
              />
              <span className="offer-body">
                <span className="offer-text">{metaName(name)}</span>
                {isLegal ? null : (
                  <span className="offer-refusal">
                    <span aria-hidden="true">⊘ </span>Not legal now
                  </span>
                )}
              </span>
            </label>
          );
        })}
      </fieldset>
      {takesSlots ? (
        <fieldset className="who" disabled={!canAct}>
          <legend>{isLead ? "Who leads, then whom to consult" : "Whom, in this order"}</legend>
          {summary.roster
            .filter(({ status }) => status !== "empty")
            .map(({ slot, role, status }) => (
              <label key={slot}>
                <input
                  type="checkbox"
                  checked={chosen.includes(slot)}
                  disabled={!mayChoose(slot)}
                  onChange={() =>
                    setSlots(chosen.includes(slot) ? chosen.filter((each) => each !== slot) : [...chosen, slot])
                  }
                />
                <span>
                  {chosen.includes(slot) ? <strong>{`${chosen.indexOf(slot) + 1}. `}</strong> : null}
                  {slot} {role}
                  {status === "free" ? "" : ` (${status})`}
                </span>
              </label>
            ))}
        </fieldset>
      ) : null}
      {meta === "callSpecialist" ? (
        <div className="field">
          <label htmlFor={`${id}mode`}>
            <Term word="mode">Mode</Term>
          </label>
          <select id={`${id}mode`} value={mode} disabled={!canAct} onChange={(event) => setMode(event.target.value)}>
            {MODES.map((name) => (
              <option key={name} value={name}>
                {name}: {modeName(name)}
              </option>
            ))}
          </select>
        </div>
      ) : null}
      <div className="row step-row">
        <button type="submit" className="primary" disabled={!canAct || !isComplete}>
          Step
        </button>
        <span className="quiet">
          {isComplete ? "" : isLead ? "Choose a lead and somebody to consult." : "Choose somebody first."}
        </span>
      </div>
    </form>
  );
}
