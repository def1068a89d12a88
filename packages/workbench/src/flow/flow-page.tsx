import { useEffect, useMemo, useState } from "react";
import { z } from "zod";
import { useLink } from "../server/link.tsx";
import { describeProblem, type Problem } from "../server/problem.ts";
import { Panel } from "../ui/panel.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { count } from "../ui/text.ts";
import { RunView } from "./run-view.tsx";
import { useRunEvents } from "./use-run-events.ts";

const ASK_EVERY_MS = 3_000;
const runsSchema = z.looseObject({
  runs: z.array(z.looseObject({ id: z.string(), flow: z.string(), status: z.string(), events: z.number() })),
});
type RunInfo = z.infer<typeof runsSchema>["runs"][number];

/** Runs of agent teams: the list, and one of them as it goes on. */
export function FlowPage({ run }: { readonly run: string | null }) {
  const { server } = useLink();
  const [runs, setRuns] = useState<readonly RunInfo[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    let isOver = false;
    const ask = async (): Promise<void> => {
      try {
        const reply = runsSchema.parse(await server.service("/flow/runs"));
        if (isOver) return;
        setRuns(reply.runs);
        setProblem(null);
      } catch (error) {
        if (!isOver) setProblem(describeProblem(error));
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), ASK_EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [server]);
  return (
    <div className="page wide">
      <h1>Agent runs</h1>
      <p className="lead">Teams of language-model agents at work: steps, retries and waits, tools, tokens and money.</p>
      <ProblemNotice problem={problem} />
      <div className={run === null ? "flow-columns list-only" : "flow-columns"}>
        <RunList runs={runs} run={run} isAsking={problem === null} />
        {run === null ? null : <OneRun key={run} run={run} />}
      </div>
    </div>
  );
}

function RunList({
  runs,
  run,
  isAsking,
}: {
  readonly runs: readonly RunInfo[] | null;
  readonly run: string | null;
  readonly isAsking: boolean;
}) {
  return (
    <Panel
      title="Runs"
      aside={runs === null ? undefined : <span className="quiet">{count(runs.length, "run")}</span>}
      className="run-list"
    >
      {runs === null ? (
        isAsking ? (
          <p className="loading">Asking for runs …</p>
        ) : null
      ) : runs.length === 0 ? (
        <p className="empty">
          No run yet. Start one in a terminal:{" "}
          <code>npx praxis flow run examples/flows/research-brief.yml -i "What helps?"</code>. It needs no key, and
          shows here while it runs.
        </p>
      ) : (
        <ul className="plain-list runs">
          {runs.map(({ id, flow, status }) => (
            <li key={id}>
              <a href={`#/flow/${encodeURIComponent(id)}`} aria-current={id === run ? "true" : undefined}>
                <strong>{flow}</strong>
                <span className={`state ${status}`}>{status}</span>
                <span className="quiet">{id.replace(/^flow__[^_]*(?:_[^_]+)*__/, "").replace("T", " ")}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function OneRun({ run }: { readonly run: string }) {
  const { events, problem } = useRunEvents(run);
  // biome-ignore lint/correctness/useExhaustiveDependencies: events are only ever added to
  const last = useMemo(() => events, [events.length]);
  if (problem !== null)
    return (
      <div>
        <ProblemNotice problem={problem} />
      </div>
    );
  if (last.length === 0) return <p className="loading">Reading the events of the run …</p>;
  return <RunView events={last} />;
}
