import type { OutlineNode } from "./outline.ts";

interface Box {
  readonly width: number;
  readonly height: number;
  draw(x: number, y: number): string;
}

const GAP = 24;
const PAD = 12;
const HEAD = 20;

/** Text for SVG and HTML. */
function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** The steps as nested boxes: one after another from left to right, at the same time one below another. */
export function renderSvg(root: OutlineNode): string {
  const box = layout(root);
  const width = Math.ceil(box.width + 2 * PAD);
  const height = Math.ceil(box.height + 2 * PAD);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
    box.draw(PAD, PAD),
    "</svg>",
  ].join("\n");
}

function textWidth(text: string): number {
  return text.length * 7 + 2 * PAD;
}

function layout(node: OutlineNode): Box {
  if (node.flow === "leaf") return leaf(node);
  const inner =
    node.flow === "dag"
      ? dag(node)
      : node.flow === "series"
        ? row(node.children.map(layout), true)
        : column(node.children.map(layout));
  const content = node.closing === undefined ? inner : row([inner, layout(node.closing)], true);
  const title = `${node.id} · ${node.kind}${node.note === "" ? "" : ` · ${node.note}`}`;
  const width = Math.max(content.width, textWidth(title) - 2 * PAD) + 2 * PAD;
  const height = content.height + HEAD + 2 * PAD;
  return {
    width,
    height,
    draw: (x, y) =>
      `<g><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="none" stroke="#999" stroke-dasharray="4 3"/><text x="${x + PAD}" y="${y + 16}" fill="#555">${escapeMarkup(title)}</text>${content.draw(x + PAD, y + HEAD + PAD)}</g>`,
  };
}

function leaf(node: OutlineNode): Box {
  const lines = [
    node.id,
    ...(node.note === "" ? [] : [node.note.length > 48 ? `${node.note.slice(0, 47)}…` : node.note]),
  ];
  const width = Math.max(...lines.map(textWidth));
  const height = lines.length * 16 + 12;
  return {
    width,
    height,
    draw: (x, y) =>
      `<g id="step-${escapeMarkup(node.id)}"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" fill="#eef3fb" stroke="#456"/>${lines.map((line, i) => `<text x="${x + PAD}" y="${y + 18 + i * 16}"${i === 0 ? ' font-weight="bold"' : ' fill="#555"'}>${escapeMarkup(line)}</text>`).join("")}</g>`,
  };
}

function arrow(x1: number, y1: number, x2: number, y2: number): string {
  return `<path d="M${x1} ${y1}L${x2} ${y2}" fill="none" stroke="#555" marker-end="url(#tip)"/>`;
}

function row(boxes: readonly Box[], arrows: boolean): Box {
  const height = Math.max(0, ...boxes.map((box) => box.height));
  const width = boxes.reduce((sum, box) => sum + box.width, 0) + GAP * Math.max(0, boxes.length - 1);
  return {
    width,
    height,
    draw(x, y) {
      let at = x;
      const parts: string[] = [];
      for (const [i, box] of boxes.entries()) {
        if (i > 0 && arrows) parts.push(arrow(at - GAP, y + height / 2, at, y + height / 2));
        parts.push(box.draw(at, y + (height - box.height) / 2));
        at += box.width + GAP;
      }
      return parts.join("");
    },
  };
}

function column(boxes: readonly Box[]): Box {
  const width = Math.max(0, ...boxes.map((box) => box.width));
  const height = boxes.reduce((sum, box) => sum + box.height, 0) + GAP * 0.5 * Math.max(0, boxes.length - 1);
  return {
    width,
    height,
    draw(x, y) {
      let at = y;
      return boxes
        .map((box) => {
          const part = box.draw(x, at);
          at += box.height + GAP * 0.5;
          return part;
        })
        .join("");
    },
  };
}

/** Nodes in columns by the length of the longest way to them, with an arrow for each need. */
function dag(node: OutlineNode): Box {
  const depth = new Map<string, number>();
  const byId = new Map(node.children.map((child) => [child.id, child]));
  const depthOf = (child: OutlineNode): number => {
    const known = depth.get(child.id);
    if (known !== undefined) return known;
    const value = child.needs.length === 0 ? 0 : 1 + Math.max(...child.needs.map((id) => depthOf(byId.get(id)!)));
    depth.set(child.id, value);
    return value;
  };
  const columns: { readonly child: OutlineNode; readonly box: Box }[][] = [];
  for (const child of node.children) {
    const column = depthOf(child);
    columns[column] ??= [];
    columns[column].push({ child, box: layout(child) });
  }
  const widths = columns.map((entries) => Math.max(...entries.map((entry) => entry.box.width)));
  const heights = columns.map(
    (entries) => entries.reduce((sum, entry) => sum + entry.box.height, 0) + GAP * (entries.length - 1),
  );
  const width = widths.reduce((sum, value) => sum + value, 0) + 2 * GAP * (columns.length - 1);
  const height = Math.max(...heights);
  return {
    width,
    height,
    draw(x, y) {
      const places = new Map<string, { readonly x: number; readonly y: number; readonly box: Box }>();
      let left = x;
      for (const [i, entries] of columns.entries()) {
        let top = y + (height - heights[i]!) / 2;
        for (const { child, box } of entries) {
          places.set(child.id, { x: left, y: top, box });
          top += box.height + GAP;
        }
        left += widths[i]! + 2 * GAP;
      }
      const arrows = node.children.flatMap((child) =>
        child.needs.map((id) => {
          const from = places.get(id)!;
          const to = places.get(child.id)!;
          return arrow(from.x + from.box.width, from.y + from.box.height / 2, to.x, to.y + to.box.height / 2);
        }),
      );
      return [...arrows, ...[...places.values()].map((place) => place.box.draw(place.x, place.y))].join("");
    },
  };
}

/** Bars of steps over time. */
export function renderTiming(
  steps: readonly {
    readonly id: string;
    readonly startedAt: number;
    readonly endedAt: number;
    readonly status: string;
  }[],
): string {
  const start = Math.min(...steps.map((step) => step.startedAt), 0);
  const end = Math.max(...steps.map((step) => step.endedAt), start + 1);
  const label = Math.max(60, ...steps.map((step) => textWidth(step.id)));
  const scale = 600 / (end - start);
  const height = steps.length * 22 + 30;
  const colors: Readonly<Record<string, string>> = { completed: "#5b8dd6", failed: "#c0504d", cancelled: "#b0a060" };
  const rows = steps.map((step, i) => {
    const x = label + (step.startedAt - start) * scale;
    const width = Math.max(1, (step.endedAt - step.startedAt) * scale);
    return `<text x="4" y="${i * 22 + 17}">${escapeMarkup(step.id)}</text><rect x="${x.toFixed(1)}" y="${i * 22 + 5}" width="${width.toFixed(1)}" height="15" fill="${colors[step.status] ?? "#999"}"><title>${escapeMarkup(step.status)}, ${step.endedAt - step.startedAt} ms</title></rect>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${label + 620}" height="${height}" font-family="sans-serif" font-size="12">${rows.join("")}<text x="${label}" y="${height - 8}">0 ms</text><text x="${label + 560}" y="${height - 8}">${end - start} ms</text></svg>`;
}
