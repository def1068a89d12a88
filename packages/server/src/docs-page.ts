/** Text safe inside HTML. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

type Json = Readonly<Record<string, unknown>>;

function section(path: string, method: string, operation: Json): string {
  const { summary, parameters, requestBody, responses } = operation;
  const part = (title: string, value: unknown): string =>
    value === undefined ? "" : `<h3>${title}</h3><pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
  return `<details><summary><b>${method.toUpperCase()}</b> <code>${escaped(path)}</code> ${escaped(String(summary))}</summary>${part("Parameters", parameters)}${part("Request", requestBody)}${part("Responses", responses)}</details>`;
}

/** A page that shows an OpenAPI document, complete in itself: no script and nothing from another host. */
export function docsPage(document: Json): string {
  const info = document.info as Json;
  const operations = Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(path, method, operation)),
  );
  const schemas = (document.components as { readonly schemas: Record<string, unknown> }).schemas;
  const shapes = Object.entries(schemas).map(
    ([name, schema]) =>
      `<details id="${escaped(name)}"><summary><code>${escaped(name)}</code></summary><pre>${escaped(JSON.stringify(schema, null, 2))}</pre></details>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(String(info.title))}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
details{border:1px solid #8888;border-radius:6px;padding:.4rem .8rem;margin:.4rem 0}summary{cursor:pointer}
pre{overflow:auto;font-size:13px}h3{margin:.6rem 0 0}</style></head>
<body><h1>${escaped(String(info.title))}</h1><p>Version ${escaped(String(info.version))}. ${escaped(String(info.description))}
The document itself: <a href="openapi.json">openapi.json</a>.</p>
<h2>Operations</h2>${operations.join("\n")}<h2>Shapes</h2>${shapes.join("\n")}</body></html>
`;
}
