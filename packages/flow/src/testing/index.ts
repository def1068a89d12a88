export { makeScriptedModel, type ScriptedCall, type ScriptedModel } from "../providers/scripted.ts";
