import { ForeignServer } from "../play/choose-environment.tsx";
import { useLink } from "../server/link.tsx";
import { Panel } from "../ui/panel.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { EnvironmentCard } from "./environment-card.tsx";
import { RecentEpisodes } from "./recent-episodes.tsx";
import { TokenForm } from "./token-form.tsx";

/** What this server has, what was played on it, and where to begin. */
export function HomePage() {
  const { environments, problem, state } = useLink();
  const isRefused = problem?.code === "UNAUTHORIZED" || problem?.code === "FORBIDDEN";
  return (
    <div className="page">
      <div className="hero">
        <h1>Decisions that can be checked</h1>
        <p className="lead">
          Praxis serves environments in which an agent makes constrained choices, and scores every one of them with
          checks that can be read. Play one yourself, watch a policy play, go back and try another way.
        </p>
        <div className="row">
          <a className="button primary" href="#/play/polyguard?tour=1">
            Take the two-minute tour
          </a>
          <a className="button" href="#/review">
            Review a medication list
          </a>
        </div>
      </div>
      {isRefused ? <TokenForm problem={problem} /> : <ProblemNotice problem={problem} />}
      <h2 className="section-title">Environments</h2>
      {environments === null ? (
        problem === null ? (
          <p className="loading">
            {state === "away"
              ? "The server does not answer; asking again every few seconds …"
              : "Asking the server for its environments …"}
          </p>
        ) : null
      ) : (
        <ul className="cards">
          {environments.map((name) => (
            <li key={name}>
              <EnvironmentCard name={name} isOnly={environments.length === 1} />
            </li>
          ))}
        </ul>
      )}
      <div className="home-columns">
        <RecentEpisodes />
        <Panel title="Another OpenEnv server">
          <p className="quiet">
            Any server that speaks OpenEnv can be played here, in whatever language it is written.
          </p>
          <ForeignServer />
        </Panel>
      </div>
    </div>
  );
}
