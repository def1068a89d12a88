import { type RemoteMetadata, RemoteServer } from "@praxis/env/remote";
import { useEffect, useState } from "react";
import { ORACLE_NOTE } from "../play/policy-options.tsx";
import { PAGE_POLICY, type Policies, policiesOf } from "../play/policy-player.ts";
import { playAddress } from "../router.ts";
import { environmentUrl, serverOptions } from "../server/address.ts";
import { useLink } from "../server/link.tsx";
import { describeProblem, type Problem } from "../server/problem.ts";
import { count } from "../ui/text.ts";

interface Card {
  readonly metadata: RemoteMetadata;
  readonly health: string;
  readonly policies: Policies;
}

/** One environment: what it is, whether it is well, who can play it. */
export function EnvironmentCard({ name, isOnly }: { readonly name: string; readonly isOnly: boolean }) {
  const { base, token } = useLink();
  const [card, setCard] = useState<Card | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    let isOver = false;
    const server = new RemoteServer(serverOptions(environmentUrl(base, name, isOnly), token));
    Promise.all([server.metadata(), server.health(), policiesOf(server)]).then(
      ([metadata, health, policies]) => {
        if (!isOver)
          setCard({
            metadata,
            health: health.status,
            policies: { ...policies, names: policies.names.filter((each) => each !== PAGE_POLICY) },
          });
      },
      (error: unknown) => {
        if (!isOver) setProblem(describeProblem(error));
      },
    );
    return () => {
      isOver = true;
    };
  }, [base, name, isOnly, token]);
  const notice = card?.metadata.notice;
  const version = card?.metadata.version;
  return (
    <article className="card">
      <div className="card-head">
        <h3>
          <a href={playAddress(name)}>{name}</a>
        </h3>
        {card === null ? null : (
          <span className={`badge ${card.health === "healthy" ? "good" : "bad"}`}>
            <span aria-hidden="true">{card.health === "healthy" ? "✓" : "!"}</span>{" "}
            {card.health === "healthy" ? "Healthy" : card.health}
          </span>
        )}
      </div>
      {card === null ? (
        <p className="quiet">{problem === null ? "Asking …" : `${problem.code}: ${problem.message}`}</p>
      ) : (
        <>
          <p>{card.metadata.description}</p>
          {typeof notice === "string" ? <p className="disclaimer small">{notice}</p> : null}
          <p className="quiet card-foot">
            {typeof version === "string" ? `Version ${version}` : ""}
            {card.policies.names.length === 0 ? "" : ` · ${count(card.policies.names.length, "policy", "policies")}`}
          </p>
          {card.policies.names.length === 0 ? null : (
            <details className="policies">
              <summary>Policies that can play</summary>
              <ul className="chips">
                {card.policies.names.map((policy) => (
                  <li key={policy} className="chip static">
                    {policy}
                    {card.policies.oracles.has(policy) ? <span className="quiet"> {ORACLE_NOTE}</span> : null}
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
      <a className="button card-go" href={playAddress(name)}>
        Play {name}
      </a>
    </article>
  );
}
