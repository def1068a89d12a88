import { useEffect, useMemo, useRef, useState } from "react";
import type { EnvironmentModule, OfferNote } from "../environments/module.ts";
import { SchemaForm } from "../schema/schema-form.tsx";
import { Panel } from "../ui/panel.tsx";
import { Term } from "../ui/term.tsx";
import { count } from "../ui/text.ts";
import type { Branch, WireObject } from "./branch.ts";
import type { Episode } from "./episode.ts";
import { type Offer, offersOf, plainAction } from "./offers.ts";
import type { Playable } from "./play-page.tsx";

/** What can be done now: offered actions with their legality, or a form made from the schema of actions. */
export function ActionPanel({
  playable,
  module,
  episode,
  branch,
}: {
  readonly playable: Playable;
  readonly module: EnvironmentModule | null;
  readonly episode: Episode;
  readonly branch: Branch;
}) {
  const { last } = branch;
  const toAction = module?.toAction ?? plainAction;
  const { action: actionSchema } = playable.schemas;
  const offers = useMemo(
    () =>
      last === null || last.done
        ? []
        : offersOf({ observation: last.observation, info: last.info as WireObject, actionSchema, toAction }),
    [last, actionSchema, toAction],
  );
  const notes = useNotes(module, episode, branch);
  const [chosen, setChosen] = useState<string | null>(null);
  const stepButton = useRef<HTMLButtonElement>(null);
  const wantsFocus = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was chosen belongs to the step it was offered at
  useEffect(() => setChosen(null), [last]);
  const offer = offers.find(({ key }) => key === chosen) ?? null;
  const canAct = branch.state === "ready" && branch.running === null && !branch.isOver;
  const values = useMemo(
    () =>
      offer?.action ??
      (last !== null && typeof last.observation.step_nonce === "string"
        ? { step_nonce: last.observation.step_nonce }
        : null),
    [offer, last],
  );
  if (last?.done === true)
    return (
      <Panel title="Next action">
        <p className="empty">
          The episode is over. Look back at a step and fork from it, undo the last, or begin another.
        </p>
      </Panel>
    );
  const take = (action: WireObject): void => {
    wantsFocus.current = true;
    void episode.step(branch, action);
  };
  const isFormOnly = offers.length === 0;
  const form = (
    <SchemaForm
      schema={actionSchema}
      values={values}
      refused={branch.problem?.fields ?? []}
      label="Action"
      onSubmit={take}
    >
      <button type="submit" className={isFormOnly ? "primary" : ""} disabled={!canAct}>
        {isFormOnly ? "Step" : "Step with this form"}
      </button>
    </SchemaForm>
  );
  return (
    <Panel
      title="Next action"
      aside={offers.length === 0 ? undefined : <span className="quiet">{count(offers.length, "offer")}</span>}
    >
      {module?.Act !== undefined && last !== null ? (
        <>
          <module.Act observation={last.observation} canAct={canAct} onTake={take} />
          <details className="raw-form">
            <summary>Write the action as a form</summary>
            {form}
          </details>
        </>
      ) : isFormOnly ? (
        form
      ) : (
        <>
          <form
            className="offer-form"
            aria-label="Offered actions"
            onSubmit={(event) => {
              event.preventDefault();
              if (offer !== null) take(offer.action);
            }}
          >
            <fieldset className="offers" disabled={!canAct}>
              <legend className="visually-hidden">Offered actions</legend>
              {offers.map((each) => (
                <OfferRow
                  key={each.key}
                  offer={each}
                  note={notes?.get(each.key) ?? null}
                  isChosen={each.key === chosen}
                  onChoose={() => setChosen(each.key)}
                />
              ))}
            </fieldset>
            <div className="row step-row">
              <button ref={stepButton} type="submit" className="primary" disabled={!canAct || offer === null}>
                Step
              </button>
              <span className="quiet">
                {offer === null ? "Choose an action first." : offer.isLegal === false ? "It will be refused." : ""}
              </span>
            </div>
          </form>
          {notes === null ? null : <OfferLegend />}
          <details className="raw-form">
            <summary>Write the action as a form</summary>
            {form}
          </details>
        </>
      )}
    </Panel>
  );
}

function OfferRow({
  offer,
  note,
  isChosen,
  onChoose,
}: {
  readonly offer: Offer;
  readonly note: OfferNote | null;
  readonly isChosen: boolean;
  onChoose(): void;
}) {
  const isLegal = note?.isLegal ?? offer.isLegal;
  return (
    <label className={`offer${isChosen ? " chosen" : ""}${isLegal === false ? " illegal" : ""}`}>
      <input type="radio" name="offer" value={offer.key} checked={isChosen} onChange={onChoose} />
      <span className="offer-body">
        <span className="offer-text">{offer.text}</span>
        {isLegal === false ? (
          <span className="offer-refusal">
            <span aria-hidden="true">⊘ </span>
            Not legal{note !== null && note.reasons.length > 0 ? `: ${note.reasons.join("; ")}` : ""}
          </span>
        ) : note !== null && note.reasons.length > 0 ? (
          <span className="offer-warning">
            <span aria-hidden="true">△ </span>
            {note.reasons.join("; ")}
          </span>
        ) : null}
        {note === null || note.figures.length === 0 ? null : (
          <span className="offer-figures">
            {note.figures.map(({ name, text, tone }) => (
              <span key={name} className={`figure ${tone}`}>
                {name} <strong>{text}</strong>
              </span>
            ))}
          </span>
        )}
      </span>
    </label>
  );
}

/** What the server knows of the offers of the present step; null until it has said, or where it can't. */
function useNotes(
  module: EnvironmentModule | null,
  episode: Episode,
  branch: Branch,
): ReadonlyMap<string, OfferNote> | null {
  const { last } = branch;
  const [noted, setNoted] = useState<{ readonly of: unknown; readonly notes: ReadonlyMap<string, OfferNote> | null }>({
    of: null,
    notes: null,
  });
  const isWanted = module !== null && last !== null && !last.done && branch.running === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `last` stands for all that led to it
  useEffect(() => {
    if (!isWanted || module === null) return;
    let isOver = false;
    module
      .noteOffers(
        episode.server,
        episode.beginning,
        branch.turns.map((turn) => turn.action),
      )
      .then(
        (notes) => {
          if (!isOver) setNoted({ of: last, notes });
        },
        () => undefined,
      );
    return () => {
      isOver = true;
    };
  }, [last, isWanted, module]);
  return noted.of === last ? noted.notes : null;
}

/** Explains what the figures of an offer are. */
function OfferLegend() {
  return (
    <p className="hint">
      <Term word="gain">Gain</Term>, <Term word="harm">harm</Term> and <Term word="burden">burden</Term> are the
      simulator's own expectation for the coming year on the true state: the agent does not see them.
    </p>
  );
}
