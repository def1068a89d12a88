export { definition, definition as default } from "./definition.ts";
export { type Action, game, type Observation, type Options } from "./game.ts";
