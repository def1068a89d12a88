import type { EnvironmentModule } from "../environments/module.ts";
import { Panel } from "../ui/panel.tsx";
import { count, number, summarizeAction } from "../ui/text.ts";
import { VirtualList } from "../ui/virtual-list.tsx";
import type { Branch, Turn, WireObject } from "./branch.ts";

const ROW_HEIGHT = 52;
const LIST_HEIGHT = 420;

/** A turn in one line: the environment's own words, else the fields of the action. */
export function turnText(module: EnvironmentModule | null, turn: Turn, before: WireObject): string {
  if (module !== null) return module.describe(turn, before);
  const { candidates } = before;
  if (Array.isArray(candidates)) {
    const found = candidates.find(
      (each: WireObject) =>
        typeof each.text === "string" &&
        JSON.stringify(each.payload ?? each.action) === JSON.stringify(withoutNonce(turn.action)),
    ) as WireObject | undefined;
    if (found !== undefined) return String(found.text);
  }
  return summarizeAction(turn.action);
}

function withoutNonce(action: WireObject): WireObject {
  const { step_nonce: _nonce, ...rest } = action;
  return rest;
}

/** All steps of a branch; the one chosen is looked at. */
export function TracePanel({
  branch,
  module,
  step,
  onLook,
}: {
  readonly branch: Branch;
  readonly module: EnvironmentModule | null;
  readonly step: number;
  onLook(step: number): void;
}) {
  const { turns } = branch;
  return (
    <Panel title="Steps" aside={<span className="quiet">{count(turns.length, "step")}</span>}>
      {turns.length === 0 ? <p className="empty">No step taken yet.</p> : null}
      <div className={turns.length === 0 ? "trace none-yet" : "trace"}>
        {turns.length === 0 ? null : (
          <VirtualList
            count={turns.length + 1}
            rowHeight={ROW_HEIGHT}
            height={LIST_HEIGHT}
            selected={step}
            label="Steps; arrow keys look at another one"
            onSelect={onLook}
            row={(index) => <Row branch={branch} module={module} index={index} />}
          />
        )}
      </div>
    </Panel>
  );
}

function Row({
  branch,
  module,
  index,
}: {
  readonly branch: Branch;
  readonly module: EnvironmentModule | null;
  readonly index: number;
}) {
  if (index === 0)
    return (
      <div className="trace-row">
        <span className="trace-index">0</span>
        <span className="trace-what">Reset</span>
        <span className="trace-reward" />
      </div>
    );
  const turn = branch.turns[index - 1]!;
  const before = branch.resultAt(index - 1)?.observation ?? {};
  const refused = (turn.result.info.violations ?? []).length > 0;
  return (
    <div className="trace-row">
      <span className="trace-index">{index}</span>
      <span className="trace-what">
        <span className="trace-text">{turnText(module, turn, before)}</span>
        <span className="quiet">
          {turn.by}
          {index <= branch.forkedAt ? ", shared" : ""}
          {refused ? (
            <span className="trace-refused">
              {" "}
              <span aria-hidden="true">⊘</span> violation
            </span>
          ) : null}
          {turn.result.done ? ", end" : ""}
        </span>
      </span>
      <span className="trace-reward number">
        {turn.result.info.infraError === undefined ? number(turn.result.reward, 3) : "–"}
        <span className="quiet">Σ {number(branch.returns[index - 1] ?? 0, 4)}</span>
      </span>
    </div>
  );
}
