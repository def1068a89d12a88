import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";

/** Rows drawn beyond what is seen, above and below. */
const SPARE_ROWS = 8;

/**
 * A list of which only the rows in view are drawn, so that ten thousand scroll as ten do. One row is selected; arrow keys,
 * Home and End move it. While the selection is the last row, the list follows what is added.
 */
export function VirtualList({
  count,
  rowHeight,
  height,
  selected,
  label,
  onSelect,
  row,
}: {
  readonly count: number;
  /** In pixels; every row has it. */
  readonly rowHeight: number;
  readonly height: number;
  readonly selected: number;
  readonly label: string;
  onSelect(index: number): void;
  row(index: number): ReactNode;
}) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const isAtEnd = selected === count - 1;
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || selected < 0) return;
    const above = selected * rowHeight;
    if (above < element.scrollTop) element.scrollTop = above;
    else if (above + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = above + rowHeight - element.clientHeight;
  }, [selected, rowHeight]);
  useEffect(() => {
    if (isAtEnd && box.current !== null) box.current.scrollTop = count * rowHeight;
  }, [count, isAtEnd, rowHeight]);
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE_ROWS);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + SPARE_ROWS);
  const rowId = (index: number): string => `${id}-${index}`;
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const wanted = {
      ArrowDown: selected + 1,
      ArrowUp: selected - 1,
      PageDown: selected + page,
      PageUp: selected - page,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    onSelect(Math.min(count - 1, Math.max(0, wanted)));
  };
  return (
    <div
      ref={box}
      className="virtual"
      style={{ height: Math.min(height, Math.max(1, count) * rowHeight) }}
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={selected >= first && selected < last ? rowId(selected) : undefined}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: count * rowHeight, position: "relative" }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, offset) => {
          const index = first + offset;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list itself takes the keys
            <div
              key={index}
              id={rowId(index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === selected}
              aria-setsize={count}
              aria-posinset={index + 1}
              className="virtual-row"
              style={{ top: index * rowHeight, height: rowHeight }}
              onClick={() => onSelect(index)}
            >
              {row(index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
