import { readFileSync } from "node:fs";
import { PraxisError } from "@praxis/env";
import { Command, CommanderError } from "commander";
import { registerAudit } from "./commands/audit.ts";
import { registerCheck } from "./commands/check.ts";
import { registerData } from "./commands/data.ts";
import { registerDemo } from "./commands/demo.ts";
import { registerEval } from "./commands/eval.ts";
import { registerExport } from "./commands/export.ts";
import { registerFlow } from "./commands/flow.ts";
import { registerGrpo } from "./commands/grpo.ts";
import { registerKb } from "./commands/kb.ts";
import { registerNew } from "./commands/new.ts";
import { registerPipeline } from "./commands/pipeline.ts";
import { registerPlay } from "./commands/play.ts";
import { registerReplay } from "./commands/replay.ts";
import { registerReview } from "./commands/review.ts";
import { registerRouting } from "./commands/routing.ts";
import { registerRuns } from "./commands/runs.ts";
import { registerServe } from "./commands/serve.ts";
import { registerSft } from "./commands/sft.ts";
import { registerTrain } from "./commands/train.ts";
import { registerTransfer } from "./commands/transfer.ts";
import { registerValidate } from "./commands/validate.ts";
import { CheckFailed } from "./outcome.ts";
import type { Terminal } from "./terminal.ts";

/** Exit codes: 0 good, 1 the thing checked is bad, 2 the command was wrong. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = makeProgram(terminal);
  try {
    await program.parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof CheckFailed) {
      if (error.message !== "") terminal.err(error.message);
      return 1;
    }
    if (error instanceof PraxisError) {
      terminal.err(`${error.code}: ${error.message}`);
      return 2;
    }
    throw error;
  }
}

/** The `praxis` command with all its verbs. */
function makeProgram(terminal: Terminal): Command {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  const program = new Command("praxis")
    .description(
      "Train and evaluate agents that make constrained, verifiable decisions.\nPolyGuard is a research simulation, not medical advice.",
    )
    .version(version)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    });
  registerServe(program, terminal);
  registerReview(program, terminal);
  registerPlay(program, terminal);
  registerReplay(program, terminal);
  registerCheck(program, terminal);
  registerValidate(program, terminal);
  registerNew(program, terminal);
  registerFlow(program, terminal);
  registerKb(program, terminal);
  registerTrain(program, terminal);
  registerSft(program, terminal);
  registerGrpo(program, terminal);
  registerPipeline(program, terminal);
  registerEval(program, terminal);
  registerDemo(program, terminal);
  registerTransfer(program, terminal);
  registerRuns(program, terminal);
  registerExport(program, terminal);
  registerData(program, terminal);
  registerAudit(program, terminal);
  registerRouting(program, terminal);
  for (const command of program.commands)
    command.exitOverride().showSuggestionAfterError(true).configureOutput(program.configureOutput());
  return program;
}
