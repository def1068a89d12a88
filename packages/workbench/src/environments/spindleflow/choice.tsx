import { useMemo } from "react";
import type { Turn, WireObject } from "../../play/branch.ts";
import { isObject } from "../../schema/json-schema.ts";
import { Panel } from "../../ui/panel.tsx";
import { Term } from "../../ui/term.tsx";
import { count, number } from "../../ui/text.ts";
import {
  type Call,
  callsOf,
  metaName,
  modeName,
  partyName,
  type Seat,
  seconds,
  type TaskEnd,
  type TaskWork,
} from "./observation.ts";
import { Odds } from "./odds.tsx";
import type { Situation } from "./use-situation.ts";

const REASONS: Readonly<Record<string, string>> = {
  claims: "its text claims something the task is about that nobody has delivered yet",
  answersFailure: "takes the place of a call that failed",
  answersConflict: "settles a conflict between outputs",
  consultation: "was consulted by the lead",
  none: "no reason on record",
};

/** What was chosen in a step, with how likely its policy found it, and why these people or why the stop. */
export function ChoicePanel({
  turn,
  work,
  before,
  roster,
}: {
  readonly turn: Turn;
  readonly work: TaskWork;
  readonly before: Situation | null;
  readonly roster: readonly Seat[];
}) {
  const info = turn.result.info as WireObject;
  const decided = isObject(info.action) ? info.action : null;
  const calls = callsOf(info);
  const rank = useMemo(() => ranks(before), [before]);
  const meta = String(decided?.meta ?? turn.action.meta ?? "illegal choice");
  return (
    <Panel title="What was chosen" aside={<span className="quiet">{turn.by}</span>}>
      <p className="choice-line">
        <strong>{metaName(meta)}</strong>
        {meta === "callSpecialist" && typeof decided?.mode === "string" ? (
          <span>
            {" "}
            in <Term word="mode">mode</Term> {decided.mode} <span className="quiet">({modeName(decided.mode)})</span>
          </span>
        ) : null}
      </p>
      <Odds turn={turn} meta={meta} roster={roster} />
      {decided === null ? <p className="quiet">The choice was not legal and changed nothing.</p> : null}
      {calls.length === 0 ? null : (
        <ol className="calls">
          {calls.map((call, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step may call somebody twice
            <CallRow key={index} call={call} rank={rank} before={before} roster={roster} />
          ))}
        </ol>
      )}
      {work.end === null ? null : <WhyEnded end={work.end} work={work} />}
    </Panel>
  );
}

/** Place of each slot by likeness of its text with the task's, from 1. */
function ranks(before: Situation | null): ReadonlyMap<number, number> {
  const seats = (before?.seats ?? []).filter((seat) => seat !== null);
  const sorted = [...seats].sort((a, b) => b.similarity - a.similarity || a.slot - b.slot);
  return new Map(sorted.map(({ slot }, index) => [slot, index + 1]));
}

function CallRow({
  call: { caller, callee, status, startMs, endMs, score, reason },
  rank,
  before,
  roster,
}: {
  readonly call: Call;
  readonly rank: ReadonlyMap<number, number>;
  readonly before: Situation | null;
  readonly roster: readonly Seat[];
}) {
  const reading = typeof callee === "number" ? (before?.seats[callee] ?? null) : null;
  const place = typeof callee === "number" ? rank.get(callee) : undefined;
  return (
    <li className={status === "ok" ? "call-row" : "call-row failed"}>
      <p>
        <strong>
          {partyName(caller)} → {partyName(callee)}
        </strong>{" "}
        {typeof callee === "number" ? <span>{roster[callee]?.role}</span> : null}
      </p>
      <p className="quiet">
        <span className={status === "ok" ? "state completed" : "state failed"}>
          <span aria-hidden="true">{status === "ok" ? "✓" : "⊘"} </span>
          {status === "ok" ? "delivered" : status}
        </span>
        , {seconds(endMs - startMs)}
        {score === null ? "" : `, own score ${number(score, 2)}`}
      </p>
      <p className="quiet">
        Why: {REASONS[reason] ?? reason}
        {reading === null || place === undefined
          ? "."
          : `; likeness to the task ${number(reading.similarity, 2)}, number ${place} of ${rank.size}.`}
      </p>
    </li>
  );
}

function WhyEnded({ end, work }: { readonly end: TaskEnd; readonly work: TaskWork }) {
  const { invoked = 0, expected = 0, elapsedMs = 0, slaMs = 1, teamScore = 0, generalistScore = 0 } = end.inputs;
  const facts = [
    end.by === "stop" ? "The policy stopped" : "The step limit ended the task",
    `${count(invoked, "specialist")} called, where such a task calls for ${expected}`,
    `${seconds(elapsedMs)} of ${seconds(slaMs)} used`,
    end.noOutput
      ? "nobody delivered anything"
      : `the team scored ${number(teamScore, 2)}, a generalist alone ${number(generalistScore, 2)}`,
  ];
  return (
    <div className={end.reward > 0 ? "notice good" : "notice"}>
      <h3>
        Task {work.taskNumber} ended: reward {number(end.reward, 3)}
      </h3>
      <p>{facts.join("; ")}.</p>
    </div>
  );
}
