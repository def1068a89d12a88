import { escapeXml, type Figure } from "./svg.ts";

/** A table of a report; cells are text. */
export interface ReportTable {
  readonly title: string;
  /** A sentence under the title; "" = none. */
  readonly note: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A report ready to be written in any form. */
export interface Report {
  readonly title: string;
  readonly notice: string;
  /** Settings and counts, a line each. */
  readonly facts: readonly string[];
  readonly tables: readonly ReportTable[];
  readonly figures: readonly Figure[];
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** The report as Markdown; figures are linked as `figures/<name>.svg`. */
export function renderMarkdown({ title, notice, facts, tables, figures }: Report): string {
  const lines = [`# ${title}`, "", `${notice}`, "", ...facts.map((fact) => `- ${fact}`), ""];
  for (const { title: name, note, columns, rows } of tables) {
    lines.push(`## ${name}`, "");
    if (note !== "") lines.push(note, "");
    lines.push(`| ${columns.map(cell).join(" | ")} |`, `| ${columns.map(() => "---").join(" | ")} |`);
    for (const row of rows) lines.push(`| ${row.map(cell).join(" | ")} |`);
    lines.push("");
  }
  for (const figure of figures) lines.push(`![${figure.title}](figures/${figure.name}.svg)`, "");
  return `${lines.join("\n").trimEnd()}\n`;
}

/** The report as one HTML page without scripts or outside links; figures stand in it. */
export function renderHtml({ title, notice, facts, tables, figures }: Report): string {
  const tableHtml = tables.map(({ title: name, note, columns, rows }) => {
    const head = columns.map((column) => `<th scope="col">${escapeXml(column)}</th>`).join("");
    const body = rows.map((row) => `<tr>${row.map((text) => `<td>${escapeXml(text)}</td>`).join("")}</tr>`).join("\n");
    return `<h2>${escapeXml(name)}</h2>${note === "" ? "" : `<p>${escapeXml(note)}</p>`}<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
  });
  const figureHtml = figures.map(
    ({ name, svg }) => `<figure>${svg}<figcaption>Data: figures/${escapeXml(name)}.json</figcaption></figure>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeXml(title)}</title>
<style>body{font:14px/1.5 system-ui,sans-serif;max-width:1100px;margin:2rem auto;padding:0 1rem;color:#111}.wide{overflow-x:auto}table{border-collapse:collapse}th,td{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:left;white-space:nowrap}figure{margin:1.5rem 0}figcaption{color:#555}.notice{border-left:4px solid #d55e00;padding-left:.6rem}</style></head>
<body><h1>${escapeXml(title)}</h1><p class="notice">${escapeXml(notice)}</p><ul>${facts.map((fact) => `<li>${escapeXml(fact)}</li>`).join("")}</ul>
${tableHtml.join("\n")}
${figureHtml.join("\n")}
</body></html>
`;
}
