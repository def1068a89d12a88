import { type ReactNode, useMemo, useState } from "react";
import { Panel } from "../ui/panel.tsx";
import { Term } from "../ui/term.tsx";
import { count, number } from "../ui/text.ts";
import { VirtualList } from "../ui/virtual-list.tsx";
import { RunGraph } from "./run-graph.tsx";
import { type FlowEvent, type Round, type RunModel, type RunStep, readRun } from "./run-model.ts";
import { diffWords } from "./text-diff.ts";
import { Timeline } from "./timeline.tsx";

/** One run: totals, graph, timeline, the step chosen, tools, budgets, feedback, and its log. */
export function RunView({ events }: { readonly events: readonly FlowEvent[] }) {
  const model = useMemo(() => readRun(events), [events]);
  const [chosen, setChosen] = useState<string | null>(null);
  const step = model.steps.find(({ spanId }) => spanId === chosen) ?? null;
  return (
    <div className="run-view">
      <Totals model={model} />
      {model.questions.map(({ token, prompt }) => (
        <div key={token} className="notice warn">
          <p>
            <strong>The run waits for an answer:</strong> {prompt}
          </p>
          <p>
            Answer in a terminal: <code>praxis flow run … --resume … --answer {token}=VALUE</code>
          </p>
        </div>
      ))}
      {model.conflicts.map((text) => (
        <p key={text} className="notice warn">
          {text}
        </p>
      ))}
      <Panel title="Graph">
        <RunGraph steps={model.steps} chosen={chosen} onChoose={setChosen} />
      </Panel>
      <Timeline model={model} chosen={chosen} onChoose={setChosen} />
      {step === null ? null : <StepDetails step={step} />}
      {model.rounds.length === 0 ? null : <Rounds rounds={model.rounds} />}
      {model.tools.length === 0 ? null : <Tools tools={model.tools} />}
      {model.budgets.length === 0 ? null : <Budgets budgets={model.budgets} />}
      <Log events={events} />
    </div>
  );
}

function Totals({ model }: { readonly model: RunModel }) {
  const { totals } = model;
  const tiles: readonly (readonly [ReactNode, string])[] = [
    ["State", model.state],
    ["Time", `${number((model.endMs - model.beginMs) / 1000, 3)} s`],
    ["Agents run", String(totals.agents)],
    ["Model calls", String(totals.calls)],
    [
      <Term key="token" word="token">
        Tokens
      </Term>,
      totals.tokens.toLocaleString("en"),
    ],
    ["Cost", `$${totals.usd.toFixed(4)}`],
    ["Errors", String(totals.errors)],
  ];
  return (
    <Panel title={model.flow || "Run"}>
      {model.input === "" ? null : <p className="run-input">{model.input}</p>}
      <dl className="tiles">
        {tiles.map(([label, value], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the tiles never change places
          <div key={index} className="tile">
            <dt>{label}</dt>
            <dd>
              <strong className="number">{value}</strong>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function StepDetails({ step }: { readonly step: RunStep }) {
  return (
    <Panel title={`Step ${step.id}`} aside={<span className={`state ${step.state}`}>{step.state}</span>}>
      <p className="quiet">
        {[step.kind, step.role || step.agent, step.attempt > 1 ? `attempt ${step.attempt}` : ""]
          .filter((text) => text !== "")
          .join(", ")}
      </p>
      {step.problem === null ? null : <p className="notice bad small">{step.problem}</p>}
      {step.output === null ? (
        <p className="quiet">
          {step.kind === "agent"
            ? "What it wrote was not recorded: run with --record-content."
            : "This step holds others."}
        </p>
      ) : (
        <pre className="output">{step.output}</pre>
      )}
    </Panel>
  );
}

function Rounds({ rounds }: { readonly rounds: readonly Round[] }) {
  return (
    <Panel title="Feedback rounds" aside={<span className="quiet">{count(rounds.length, "round")}</span>}>
      <div className="rounds">
        {rounds.map((round) => (
          <div key={round.k} className="round">
            <h3>
              Round {round.k}{" "}
              <span className={round.approved ? "badge good" : "badge warn"}>
                {round.approved ? "approved" : "not approved"}
              </span>
            </h3>
            {round.targets.length === 0 ? null : <p className="quiet">Revised: {round.targets.join(", ")}</p>}
            {round.revisions.map(({ stepId, before, after }) => (
              <div key={stepId} className="revision">
                <h4>{stepId}</h4>
                <pre className="diff">
                  {diffWords(before, after).map((part, index) =>
                    part.kind === "same" ? (
                      part.text
                    ) : part.kind === "added" ? (
                      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name
                      <ins key={index}>{part.text}</ins>
                    ) : (
                      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name
                      <del key={index}>{part.text}</del>
                    ),
                  )}
                </pre>
              </div>
            ))}
          </div>
        ))}
      </div>
    </Panel>
  );
}

function Tools({ tools }: { readonly tools: RunModel["tools"] }) {
  return (
    <Panel title="Tools">
      <table>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col" className="number">
              Calls
            </th>
            <th scope="col" className="number">
              Failed
            </th>
            <th scope="col" className="number">
              Time (ms)
            </th>
          </tr>
        </thead>
        <tbody>
          {tools.map(({ name, calls, failed, ms }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="number">{calls}</td>
              <td className="number">{failed}</td>
              <td className="number">{Math.round(ms).toLocaleString("en")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function Budgets({ budgets }: { readonly budgets: RunModel["budgets"] }) {
  return (
    <Panel title="Budgets">
      <ul className="plain-list">
        {budgets.map(({ name, used, limit, isOver }) => (
          <li key={name}>
            {name}: {number(used)} of {number(limit)}
            {isOver ? <span className="badge bad">exceeded</span> : <span className="badge warn">nearly used</span>}{" "}
            <meter value={used} max={limit} aria-label={name} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const ROW_HEIGHT = 30;

function Log({ events }: { readonly events: readonly FlowEvent[] }) {
  const [filter, setFilter] = useState("");
  const [isWithText, setWithText] = useState(false);
  const [selected, setSelected] = useState(-1);
  const wanted = filter.toLowerCase();
  const shown = useMemo(
    () =>
      events.filter(
        (event) =>
          (isWithText || event.type !== "llm.delta") &&
          (wanted === "" ||
            `${event.type} ${event.spanId} ${JSON.stringify(event.data)}`.toLowerCase().includes(wanted)),
      ),
    [events, wanted, isWithText],
  );
  const event = shown[selected];
  return (
    <Panel title="Log" aside={<span className="quiet">{count(shown.length, "event")}</span>}>
      <div className="row log-filter">
        <label>
          Show{" "}
          <input
            type="text"
            placeholder="type or text"
            value={filter}
            onChange={(change) => setFilter(change.target.value)}
          />
        </label>
        <label className="check">
          <input type="checkbox" checked={isWithText} onChange={(change) => setWithText(change.target.checked)} /> text
          as it is written
        </label>
      </div>
      {shown.length === 0 ? (
        <p className="empty">No event holds that.</p>
      ) : (
        <VirtualList
          count={shown.length}
          rowHeight={ROW_HEIGHT}
          height={360}
          selected={selected}
          label="Events"
          onSelect={setSelected}
          row={(index) => {
            const each = shown[index]!;
            return (
              <div className="log-row">
                <span className="number quiet">{Math.round(each.time)} ms</span>
                <span className="log-type">{each.type}</span>
                <span className="log-span">{each.spanId}</span>
                <span className="quiet log-data">{JSON.stringify(each.data)}</span>
              </div>
            );
          }}
        />
      )}
      {event === undefined ? null : <pre className="output">{JSON.stringify(event, null, 2)}</pre>}
    </Panel>
  );
}
