import { runCli } from "../src/program.ts";

/** Runs a command line; data and talk are kept apart, as on a terminal. */
export async function praxis(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const kept = { out: "", err: "" };
  const keep = (to: "out" | "err") => (text: string) => {
    kept[to] += `${text}\n`;
  };
  const code = await runCli(args, { out: keep("out"), err: keep("err"), isInteractive: false, hasColor: false });
  return { code, ...kept };
}
