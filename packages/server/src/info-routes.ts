import type { Hono } from "hono";
import type { MountedContext } from "./context.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./openapi.ts";
import { metadataDocument, schemaDocument } from "./schema-document.ts";

/** Adds `/metadata`, `/schema`, `/openapi.json` and the pages `/docs` and `/redoc`. Builds no environment. */
export function addInfoRoutes(app: Hono, context: MountedContext, hasPage: boolean): void {
  const { definition, mode } = context;
  const metadata = metadataDocument(definition);
  const schema = schemaDocument(definition);
  const openApi = openApiDocument({ definition, mode, hasPage });
  const page = docsPage(openApi);

  app.get("/metadata", (c) => c.json(metadata));
  app.get("/schema", (c) => c.json(schema));
  app.get("/openapi.json", (c) => c.json(openApi));
  for (const path of ["/docs", "/redoc"]) app.get(path, (c) => c.html(page));
}
