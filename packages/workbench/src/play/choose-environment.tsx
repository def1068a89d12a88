import { type FormEvent, useId, useState } from "react";
import { playAddress } from "../router.ts";
import { useLink } from "../server/link.tsx";
import { Panel } from "../ui/panel.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";

/** What can be played: environments of this server, and any other OpenEnv server by its address. */
export function ChooseEnvironment() {
  const { environments, problem } = useLink();
  return (
    <div className="page">
      <h1>Play</h1>
      <p className="lead">Choose what to play. Each tab of your browser has its own session.</p>
      <Panel title="Environments of this server">
        <ProblemNotice problem={problem} />
        {environments === null ? (
          problem === null ? (
            <p className="loading">Asking the server for its environments …</p>
          ) : null
        ) : (
          <ul className="choices">
            {environments.map((name) => (
              <li key={name}>
                <a className="choice-card" href={playAddress(name)}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Panel title="Another OpenEnv server">
        <ForeignServer />
      </Panel>
    </div>
  );
}

/** Asks for the address of a server elsewhere. */
export function ForeignServer() {
  const id = useId();
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const address = /^[a-z]+:\/\//i.test(text) ? text.trim() : `http://${text.trim()}`;
    if (!URL.canParse(address) || !/^(https?|wss?):/i.test(address)) {
      setWrong(`'${text}' is no address. Write it like http://host:8000.`);
      return;
    }
    location.hash = playAddress("", address.replace(/\/+$/, ""));
  };
  return (
    <form className="inline-form" onSubmit={submit} noValidate>
      <div className="field grow">
        <label htmlFor={id}>Address of the server</label>
        <input
          id={id}
          type="text"
          inputMode="url"
          autoComplete="url"
          placeholder="http://127.0.0.1:8001"
          value={text}
          aria-invalid={wrong !== ""}
          aria-describedby={`${id}-hint ${id}-error`}
          onChange={(event) => setText(event.target.value)}
        />
        <p id={`${id}-hint`} className="hint">
          It must allow pages of other origins: a Praxis server does with --cors.
        </p>
        <p id={`${id}-error`} className="field-error">
          {wrong}
        </p>
      </div>
      <button type="submit">Connect</button>
    </form>
  );
}
