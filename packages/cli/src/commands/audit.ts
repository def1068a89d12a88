import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EnvDefinition, PraxisError, parseTraces, replayTrace, type Trace } from "@praxis/env";
import type { AuditChain, SpindleFlowParts } from "@praxis/spindleflow";
import type { Command } from "commander";
import { CheckFailed } from "../outcome.ts";
import type { Terminal } from "../terminal.ts";

interface AuditOptions {
  readonly sector: string;
  readonly head?: string;
  readonly out?: string;
  readonly since?: string;
  readonly until?: string;
  readonly json?: boolean;
}

/** An episode found under a path: its log, or the trace that its log is made from. */
interface Episode {
  readonly file: string;
  readonly id: string;
  readonly trace: Trace | null;
  readonly log: AuditChain | null;
}

/** Adds `praxis audit verify|explain|export`: hash chains of SpindleFlow's episodes, and why each step was taken. */
export function registerAudit(program: Command, terminal: Terminal): void {
  const audit = program.command("audit").description(
    `Verify, explain or export what an orchestrator did. RUN is a trace, an audit log, or a folder with such files.

  praxis play spindleflow --policy greedyMediate --trace runs/shift.jsonl && praxis audit explain runs/shift.jsonl`,
  );
  const add = (name: string, text: string) =>
    audit
      .command(name)
      .description(text)
      .argument("<run>", "trace, audit log or folder")
      .argument("[episode]", "id of one episode; default all")
      .option("--sector <name>", "sector whose bank the episodes were played on", "software_engineering")
      .option("--since <date>", "only files written at or after this date")
      .option("--until <date>", "only files written before this date")
      .option("--json", "as JSON");

  add("verify", "Recompute hashes and play each episode again; a changed byte of a log is always found.")
    .option("--head <hash>", "head that was returned with the episode; the log must end with it")
    .action(async (run: string, episode: string | undefined, options: AuditOptions) => {
      const { parts, definition, verifyAudit } = await spindleflow(options.sector);
      let failed = 0;
      for (const each of episodesOf(await readRun(run, options), run, episode)) {
        const fault =
          each.log === null
            ? traceFault(definition, each.trace!)
            : logFault(verifyAudit(parts, each.log), each.log, options);
        if (fault !== null) failed++;
        if (options.json === true)
          terminal.out(JSON.stringify({ episode: each.id, file: each.file, ok: fault === null, fault }));
        else
          terminal.out(
            `${fault === null ? "ok    " : "FAULT "} ${each.id}  ${each.file}${fault === null ? "" : `\n       ${fault}`}`,
          );
      }
      if (failed > 0) throw new CheckFailed(`${failed} ${failed === 1 ? "episode does" : "episodes do"} not hold.`);
    });

  add("explain", "Say why each specialist was called, why in that mode, and why the work was stopped.").action(
    async (run: string, episode: string | undefined, options: AuditOptions) => {
      const { parts, definition, explainAudit, renderExplanation, verifyAudit } = await spindleflow(options.sector);
      for (const each of episodesOf(await readRun(run, options), run, episode)) {
        const log = sealedLog(each, parts, await auditOf(), definition);
        const verdict = verifyAudit(parts, log);
        if (!verdict.ok) throw new CheckFailed(`Episode '${each.id}', record ${verdict.record}: ${verdict.message}`);
        const explained = explainAudit(parts, log);
        terminal.out(options.json === true ? JSON.stringify(explained) : renderExplanation(explained).trimEnd());
      }
    },
  );

  add("export", "Write audit logs as JSON lines, the head of each episode on its last line.")
    .option("--out <file>", "file to write; default standard output")
    .action(async (run: string, episode: string | undefined, options: AuditOptions) => {
      const { parts, definition, exportAudit } = await spindleflow(options.sector);
      const auditEpisode = await auditOf();
      const text = episodesOf(await readRun(run, options), run, episode)
        .map((each) => exportAudit(sealedLog(each, parts, auditEpisode, definition)))
        .join("");
      if (options.out === undefined) terminal.out(text.trimEnd());
      else {
        writeFileSync(options.out, text, { flag: "wx" });
        terminal.err(`Audit log written to ${options.out}. Verify it: praxis audit verify ${options.out}`);
      }
    });
}

/** Imported here only, so that other commands start without the bank. */
async function spindleflow(sector: string) {
  const module = await import("@praxis/spindleflow");
  return {
    ...module,
    parts: module.loadSpindleFlowParts({ sector }),
    definition: module.loadSpindleFlow({ sector }) as unknown as EnvDefinition,
  };
}

type AuditEpisode = Awaited<ReturnType<typeof spindleflow>>["auditEpisode"];
const auditOf = async (): Promise<AuditEpisode> => (await import("@praxis/spindleflow")).auditEpisode;

/** What is wrong with a trace: the first step that comes out otherwise; null = nothing. Policy name and times are not sealed. */
function traceFault(definition: EnvDefinition, trace: Trace): string | null {
  const env = definition.makeEnv();
  try {
    const mismatch = replayTrace(definition, env as never, trace);
    return mismatch === null ? null : `Played again it comes out otherwise: ${JSON.stringify(mismatch)}`;
  } finally {
    void env.close();
  }
}

function logFault(
  verdict: { readonly ok: true } | { readonly ok: false; readonly record: number; readonly message: string },
  log: AuditChain,
  { head }: AuditOptions,
): string | null {
  if (!verdict.ok) return `Record ${verdict.record}: ${verdict.message}`;
  return head === undefined || head === log.head ? null : `It ends with head ${log.head}, not with the one given.`;
}

/** The episode's log; of a trace, made by playing it again, once that gives what the trace says. */
function sealedLog(
  { log, trace, id }: Episode,
  parts: SpindleFlowParts,
  auditEpisode: AuditEpisode,
  definition: EnvDefinition,
): AuditChain {
  if (log !== null) return log;
  const fault = traceFault(definition, trace!);
  if (fault !== null) throw new CheckFailed(`Episode '${id}': ${fault}`);
  const { seed, options, episodeId } = trace!.header;
  return auditEpisode(parts, { seed, options, episodeId, actions: trace!.steps.map(({ action }) => action as never) });
}

function timeOf(text: string | undefined, option: string, otherwise: number): number {
  if (text === undefined) return otherwise;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new PraxisError("VALIDATION_ERROR", `--${option} '${text}' is no date; write it as 2026-01-31.`);
}

/** Files of a run, oldest name first: the file itself, or the `.jsonl` files in the folder and below it. */
function filesOf(run: string, options: AuditOptions): readonly string[] {
  const [from, to] = [timeOf(options.since, "since", 0), timeOf(options.until, "until", Number.POSITIVE_INFINITY)];
  let files: string[];
  try {
    files = statSync(run).isDirectory()
      ? readdirSync(run, { recursive: true, encoding: "utf8" })
          .filter((name) => name.endsWith(".jsonl"))
          .sort()
          .map((name) => join(run, name))
      : [run];
  } catch (cause) {
    throw new PraxisError("VALIDATION_ERROR", `'${run}' can't be read: ${(cause as Error).message}`, { cause });
  }
  return files.filter((file) => {
    const { mtimeMs } = statSync(file);
    return mtimeMs >= from && mtimeMs < to;
  });
}

async function readRun(run: string, options: AuditOptions): Promise<readonly Episode[]> {
  const { parseAuditLogs, SPINDLEFLOW_ID } = await import("@praxis/spindleflow");
  const isFolder = statSync(run, { throwIfNoEntry: false })?.isDirectory() === true;
  return filesOf(run, options).flatMap((file): Episode[] => {
    const text = readFileSync(file, "utf8");
    const first = text.slice(0, text.indexOf("\n") + 1);
    if (first.includes('"praxis-trace"'))
      return parseTraces(text)
        .filter(({ header }) => header.env === SPINDLEFLOW_ID)
        .map((trace) => ({ file, id: trace.header.episodeId, trace, log: null }));
    // Other JSON lines, such as metrics, lie in a run's folder as well; a file that was named must be a log.
    if (isFolder && !first.includes('"learningHash"')) return [];
    return parseAuditLogs(text).map((log) => {
      const header = log.records[0];
      return { file, id: header === undefined ? "(empty log)" : header.episodeId, trace: null, log };
    });
  });
}

function episodesOf(episodes: readonly Episode[], run: string, wanted: string | undefined): readonly Episode[] {
  const found = wanted === undefined ? episodes : episodes.filter(({ id }) => id === wanted);
  if (found.length > 0) return found;
  const known = episodes.map(({ id }) => id).slice(0, 10);
  throw new PraxisError(
    "UNKNOWN_NAME",
    wanted === undefined || known.length === 0
      ? `No episode of SpindleFlow in '${run}'. Record one: praxis play spindleflow --trace FILE`
      : `No episode '${wanted}' in '${run}'. There: ${known.join(", ")}.`,
  );
}
