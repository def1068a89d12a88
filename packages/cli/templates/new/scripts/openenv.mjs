// Writes dist-openenv/: the package folder that OpenEnv's tools take (validate, push, uv, docker build).
import { fileURLToPath } from "node:url";
import { loadEnvironment, writeOpenEnvFolder } from "@praxis/cli";

const project = fileURLToPath(new URL("..", import.meta.url));
const folder = fileURLToPath(new URL("../dist-openenv", import.meta.url));

await writeOpenEnvFolder(await loadEnvironment(project), folder);
console.error(`Written to ${folder}`);
