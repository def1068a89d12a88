import type { OutlineNode } from "./outline.ts";

/** The steps as a tree of lines: `├─` children, `└▶` what closes, `⇐` what a node needs. */
export function renderAscii(root: OutlineNode): string {
  const lines: string[] = [];
  const visit = (node: OutlineNode, lead: string, rest: string): void => {
    const note = node.note === "" ? "" : `  ${node.note}`;
    const needs = node.needs.length === 0 ? "" : `  ⇐ ${node.needs.join(", ")}`;
    // A step without a name of its own is called by its kind.
    const name = node.id === node.kind ? node.kind : `${node.id} (${node.kind})`;
    lines.push(`${lead}${name}${note}${needs}`);
    const items = [
      ...node.children.map((child) => ({ child, isClosing: false })),
      ...(node.closing === undefined ? [] : [{ child: node.closing, isClosing: true }]),
    ];
    for (const [i, { child, isClosing }] of items.entries()) {
      const isLast = i === items.length - 1;
      const mark = isClosing
        ? "└▶ "
        : node.flow === "series" && items.length > 1
          ? `${isLast ? "└" : "├"}${i + 1} `
          : isLast
            ? "└─ "
            : "├─ ";
      visit(child, rest + mark, rest + (isLast ? "   " : "│  "));
    }
  };
  visit(root, "", "");
  return lines.join("\n");
}
