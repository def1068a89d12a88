import { type CheckGroup, expect, show } from "./check.ts";
import { asRecord, field, type Target } from "./target.ts";

/** The six criteria of the official `openenv validate URL`, under their official ids. */
export const urlCriteria: CheckGroup<Target> = {
  name: "OpenEnv criteria",
  checks: [
    {
      id: "openapi_version_available",
      title: "GET /openapi.json tells a version",
      required: true,
      async run(target) {
        const { status, json } = await target.get("/openapi.json");
        expect(status === 200, `HTTP ${status}`);
        const version = field(json, "info", "version");
        expect(typeof version === "string", `info.version is ${show(version)}, not a string`);
        return `version ${version}`;
      },
    },
    {
      id: "health_endpoint",
      title: "GET /health says healthy",
      required: true,
      async run(target) {
        const { status, json } = await target.get("/health");
        expect(status === 200 && field(json, "status") === "healthy", `HTTP ${status}, body ${show(json)}`);
      },
    },
    {
      id: "metadata_endpoint",
      title: "GET /metadata tells name and description",
      required: true,
      async run(target) {
        const { status, json } = await target.get("/metadata");
        const name = field(json, "name");
        expect(
          status === 200 && typeof name === "string" && typeof field(json, "description") === "string",
          `HTTP ${status}, name ${show(name)}, description ${show(field(json, "description"))}`,
        );
        return name;
      },
    },
    {
      id: "schema_endpoint",
      title: "GET /schema tells action, observation and state",
      required: true,
      async run(target) {
        const { status, json } = await target.get("/schema");
        expect(status === 200, `HTTP ${status}`);
        for (const key of ["action", "observation", "state"])
          expect(asRecord(field(json, key)) !== undefined, `${key} is ${show(field(json, key))}, not an object`);
      },
    },
    {
      id: "mcp_endpoint",
      title: "POST /mcp answers JSON-RPC 2.0",
      required: true,
      async run(target) {
        const { status, json } = await target.request("POST", "/mcp", {});
        expect(status === 200 && field(json, "jsonrpc") === "2.0", `HTTP ${status}, body ${show(json)}`);
      },
    },
    {
      id: "mode_endpoint_consistency",
      title: "OpenAPI lists all of /reset, /step, /state, or none of them",
      required: true,
      async run(target) {
        const paths = asRecord(field((await target.get("/openapi.json")).json, "paths")) ?? {};
        expect(Object.keys(paths).length > 0, "OpenAPI lists no paths");
        const listed = ["/reset", "/step", "/state"].filter((path) => path in paths);
        expect(listed.length === 0 || listed.length === 3, `only ${listed.join(" and ")} listed`);
        return `${await target.mode()} mode`;
      },
    },
  ],
};
