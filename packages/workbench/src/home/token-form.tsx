import { type FormEvent, useId, useState } from "react";
import { useLink } from "../server/link.tsx";
import type { Problem } from "../server/problem.ts";
import { Panel } from "../ui/panel.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";

/** Asks for the token of a server that wants one; it is kept in this tab only. */
export function TokenForm({ problem }: { readonly problem: Problem }) {
  const id = useId();
  const { setToken } = useLink();
  const [text, setText] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setToken(text);
  };
  return (
    <Panel title="This server asks for a token">
      <ProblemNotice problem={problem} />
      <form className="inline-form" onSubmit={submit}>
        <div className="field grow">
          <label htmlFor={id}>Access token</label>
          <input
            id={id}
            type="password"
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <p className="hint">Kept in this tab only, and gone when it is closed.</p>
        </div>
        <button type="submit" className="primary">
          Use the token
        </button>
      </form>
    </Panel>
  );
}
