import { type RemoteMetadata, type RemoteSchemas, RemoteServer } from "@praxis/env/remote";
import { useEffect, useMemo, useState } from "react";
import { moduleOf } from "../environments/index.ts";
import { environmentUrl, serverOptions } from "../server/address.ts";
import { useLink } from "../server/link.tsx";
import { describeProblem, type Problem } from "../server/problem.ts";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { ChooseEnvironment } from "./choose-environment.tsx";
import { EpisodeView } from "./episode-view.tsx";
import { plainAction } from "./offers.ts";
import { type Policies, policiesOf } from "./policy-player.ts";
import { ResetPanel } from "./reset-panel.tsx";
import { Tour } from "./tour.tsx";
import { useEpisode } from "./use-episode.ts";

/** What the page knows of an environment before an episode. */
export interface Playable {
  readonly url: string;
  readonly name: string;
  readonly metadata: RemoteMetadata;
  readonly schemas: RemoteSchemas;
  readonly policies: Policies;
}

/** Plays one environment of this server, or of another one by its address. */
export function PlayPage({
  env,
  url,
  isTour,
}: {
  readonly env: string;
  readonly url: string | null;
  readonly isTour: boolean;
}) {
  const link = useLink();
  if (env === "" && url === null) return <ChooseEnvironment />;
  if (url !== null) return <LoadedPlay url={url} name={env} token="" isTour={false} />;
  if (link.environments === null)
    return link.problem === null ? (
      <p className="loading">Asking the server for its environments …</p>
    ) : (
      <ProblemNotice problem={link.problem} />
    );
  const isOnly = link.environments.length === 1;
  return <LoadedPlay url={environmentUrl(link.base, env, isOnly)} name={env} token={link.token} isTour={isTour} />;
}

function LoadedPlay({
  url,
  name,
  token,
  isTour,
}: {
  readonly url: string;
  readonly name: string;
  readonly token: string;
  readonly isTour: boolean;
}) {
  const [playable, setPlayable] = useState<Playable | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks again
  useEffect(() => {
    let isOver = false;
    const server = new RemoteServer(serverOptions(url, token));
    Promise.all([server.metadata(), server.schema(), policiesOf(server)]).then(
      ([metadata, schemas, policies]) => {
        if (!isOver) {
          setPlayable({ url, name: metadata.name || name, metadata, schemas, policies });
          setProblem(null);
        }
      },
      (error: unknown) => {
        if (!isOver) setProblem(describeProblem(error));
      },
    );
    return () => {
      isOver = true;
    };
  }, [url, name, token, attempt]);
  if (playable === null)
    return (
      <div className="page">
        <h1>{name || "Play"}</h1>
        {problem === null ? <p className="loading">Asking {url} what it can play …</p> : null}
        <ProblemNotice problem={problem}>
          <button type="button" onClick={() => setAttempt((n) => n + 1)}>
            Try again
          </button>
          <a href="#/play/">Choose another environment</a>
        </ProblemNotice>
      </div>
    );
  return <Played playable={playable} token={token} isTour={isTour} />;
}

function Played({
  playable,
  token,
  isTour,
}: {
  readonly playable: Playable;
  readonly token: string;
  readonly isTour: boolean;
}) {
  const { url, metadata, schemas } = playable;
  const holder = useEpisode(url);
  const module = moduleOf(playable.name);
  const setup = useMemo(
    () => ({ url, token, actionSchema: schemas.action, toAction: module?.toAction ?? plainAction }),
    [url, token, schemas, module],
  );
  const { episode } = holder;
  const notice = typeof metadata.notice === "string" ? metadata.notice : null;
  return (
    <div className="page wide">
      <div className="page-head">
        <div>
          <p className="crumbs">
            <a href="#/play/">Play</a>
          </p>
          <h1>{metadata.name}</h1>
          <p className="lead">{metadata.description}</p>
        </div>
        {notice === null ? null : (
          <p className="disclaimer" role="note">
            {notice}
          </p>
        )}
      </div>
      {isTour ? <Tour playable={playable} holder={holder} setup={setup} /> : null}
      <ResetPanel playable={playable} module={module} holder={holder} setup={setup} />
      {episode === null || episode.branches.length === 0 ? (
        <p className="empty">
          No episode yet. Reset begins one; then take the steps yourself, or let a policy take them.
        </p>
      ) : (
        <EpisodeView key={episode.beginning.seed} playable={playable} module={module} episode={episode} />
      )}
    </div>
  );
}
