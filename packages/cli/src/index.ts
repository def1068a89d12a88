export { type EnvironmentSource, loadEnvironment } from "./load-environment.ts";
export { type LoadOptions, loadEnvironments, loadRegistry } from "./load-environments.ts";
export { writeOpenEnvFolder } from "./openenv-folder.ts";
