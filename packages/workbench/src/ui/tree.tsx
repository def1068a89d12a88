import { type ReactNode, useState } from "react";
import { isObject } from "../schema/json-schema.ts";
import { Scroll } from "./scroll.tsx";
import { number, words } from "./text.ts";

/** Items of a list shown before the rest has to be asked for. */
const FIRST_ITEMS = 40;
/** Parts of the top level with at most so many entries are unfolded at first. */
const OPEN_ENTRIES = 12;

const isScalar = (value: unknown): boolean => value === null || typeof value !== "object";
const isFlat = (value: unknown): boolean =>
  isScalar(value) || (Array.isArray(value) && value.every(isScalar) && value.length <= 8);

/** A value as a tree that can be folded, with what has changed marked. Text is always shown as text. */
export function Tree({
  value,
  changed,
  path = "",
}: {
  readonly value: unknown;
  /** Paths whose value is new. */
  readonly changed: ReadonlySet<string>;
  readonly path?: string;
}): ReactNode {
  if (isFlat(value)) return <Flat value={value} />;
  if (Array.isArray(value)) {
    const isTable = value.every((item) => isObject(item) && Object.values(item).every(isFlat));
    return isTable ? (
      <RecordTable list={value} changed={changed} path={path} />
    ) : (
      <Limited list={value}>
        {(items) => (
          <ol className="nest">
            {items.map((item, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: places of a list have no other name
              <li key={index}>
                <Entry label={String(index + 1)} value={item} changed={changed} path={`${path}/${index}`} />
              </li>
            ))}
          </ol>
        )}
      </Limited>
    );
  }
  const entries = Object.entries(value as object);
  if (entries.length === 0) return <span className="none">nothing</span>;
  return (
    <ul className="nest">
      {entries.map(([key, inner]) => (
        <li key={key}>
          <Entry label={words(key)} value={inner} changed={changed} path={`${path}/${key}`} />
        </li>
      ))}
    </ul>
  );
}

/** A value of one line. */
function Flat({ value }: { readonly value: unknown }): ReactNode {
  if (Array.isArray(value))
    return value.length === 0 ? <span className="none">none</span> : value.map((item) => show(item)).join(", ");
  if (value === null || value === undefined) return <span className="none">none</span>;
  if (typeof value === "number") return <span className="number">{number(value)}</span>;
  if (value === "") return <span className="none">empty</span>;
  return <span className="text-value">{show(value)}</span>;
}

const show = (value: unknown): string =>
  value === null
    ? "none"
    : typeof value === "boolean"
      ? value
        ? "yes"
        : "no"
      : typeof value === "number"
        ? number(value)
        : String(value);

function Entry(props: {
  readonly label: string;
  readonly value: unknown;
  readonly changed: ReadonlySet<string>;
  readonly path: string;
}) {
  const { label, value, changed, path } = props;
  const isNew = changed.has(path);
  const key = (
    <span className="key">
      {label}
      {isNew ? <ChangedMark /> : null}
    </span>
  );
  if (isFlat(value))
    return (
      <div className={isNew ? "leaf changed" : "leaf"}>
        {key} <Flat value={value} />
      </div>
    );
  return <Branching {...props} name={key} />;
}

function ChangedMark() {
  return (
    <span className="changed-mark">
      <span aria-hidden="true">●</span>
      <span className="visually-hidden"> (changed)</span>
    </span>
  );
}

function Branching({
  name,
  value,
  changed,
  path,
}: {
  readonly name: ReactNode;
  readonly value: unknown;
  readonly changed: ReadonlySet<string>;
  readonly path: string;
}) {
  const size = Array.isArray(value) ? value.length : Object.keys(value as object).length;
  const [isOpen, setOpen] = useState(path.lastIndexOf("/") === 0 && size <= OPEN_ENTRIES);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name} <span className="count">{size}</span>
      </summary>
      {isOpen ? (
        <div className="inner">
          <Tree value={value} changed={changed} path={path} />
        </div>
      ) : null}
    </details>
  );
}

function Limited({
  list,
  children,
}: {
  readonly list: readonly unknown[];
  children(items: readonly unknown[]): ReactNode;
}) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      {children(isWhole ? list : list.slice(0, FIRST_ITEMS))}
      {isWhole || list.length <= FIRST_ITEMS ? null : (
        <button type="button" className="plain" onClick={() => setWhole(true)}>
          Show all {list.length}
        </button>
      )}
    </>
  );
}

function RecordTable({
  list,
  changed,
  path,
}: {
  readonly list: readonly unknown[];
  readonly changed: ReadonlySet<string>;
  readonly path: string;
}) {
  const columns = [...new Set(list.flatMap((item) => Object.keys(item as object)))];
  return (
    <Limited list={list}>
      {(items) => (
        <Scroll label={words(path.split("/").at(-1) || "records")}>
          <table>
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} scope="col">
                    {words(name)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {items.map((item, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: places of a list have no other name
                <tr key={index} className={changed.has(`${path}/${index}`) ? "changed" : undefined}>
                  {columns.map((name) => (
                    <td key={name} className={changed.has(`${path}/${index}/${name}`) ? "changed" : undefined}>
                      {name in (item as object) ? <Flat value={(item as Record<string, unknown>)[name]} /> : null}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Limited>
  );
}
