import type { z } from "zod";
import { type ConfigDocument, parseConfigDocument } from "./document.ts";
import { asList, asMap, asString } from "./draft.ts";
import { catalogSchema, flowSchema, includeSchema } from "./flow-schema.ts";
import { nearestName } from "./nearest.ts";
import { makeProblem, type Problem, type Range } from "./problem.ts";
import { checkSchema } from "./schema-problems.ts";

/** What reading a file gave. */
export type FileReading =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing"; readonly siblings: readonly string[] }
  | { readonly kind: "folder" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Access to files; handed in, so that an editor in a browser can check unsaved text. */
export interface FlowFiles {
  read(file: string): Promise<FileReading>;
  /** Path of `name` as seen from the folder of `file`. */
  resolve(file: string, name: string): string;
  /** What filled a namespace of local memory, its folder as named in `file`; undefined for one that is empty. */
  memoryHead?(file: string, folder: string, namespace: string): MemoryHead | undefined;
}

/** What filled a namespace of memory. */
export interface MemoryHead {
  readonly embedder: string;
  readonly dimension: number;
}

/** Files of one flow: the file itself, what it includes, and its subflows. */
export interface FlowSources {
  readonly document: ConfigDocument;
  readonly includes: readonly ConfigDocument[];
  readonly catalog: ConfigDocument | null;
  /** By the text of `file:` in the flow. */
  readonly subflows: ReadonlyMap<string, FlowSources>;
}

/** Documents of a flow with the problems of reading them; `sources` is null when the main file can't be read as a map. */
export interface LoadedSources {
  readonly sources: FlowSources | null;
  readonly problems: readonly Problem[];
  readonly texts: ReadonlyMap<string, string>;
}

const MAX_FLOW_DEPTH = 5;

/** Reads a flow file with its includes and subflows; checks syntax and schema of each. */
export async function loadSources(file: string, files: FlowFiles): Promise<LoadedSources> {
  const problems: Problem[] = [];
  const texts = new Map<string, string>();
  const sources = await new Loader(files, problems, texts).flow(file, [], undefined);
  return { sources, problems, texts };
}

class Loader {
  readonly #files: FlowFiles;
  readonly #problems: Problem[];
  readonly #texts: Map<string, string>;

  constructor(files: FlowFiles, problems: Problem[], texts: Map<string, string>) {
    this.#files = files;
    this.#problems = problems;
    this.#texts = texts;
  }

  async flow(file: string, ancestors: readonly string[], from: Range | undefined): Promise<FlowSources | null> {
    const document = await this.#document(file, flowSchema, from);
    if (document === null) return null;
    const includes: ConfigDocument[] = [];
    for (const [i, name] of asList(document.data.include).entries()) {
      if (typeof name !== "string") continue;
      const place = document.valueRange(["include", i]);
      const path = this.#files.resolve(file, name);
      if (path === file) {
        this.#problems.push(makeProblem("E227", place, `The file includes itself.`));
        continue;
      }
      const included = await this.#document(path, includeSchema, place);
      if (included !== null) includes.push(included);
    }
    const catalogName = asString(document.data.catalog);
    const catalog =
      catalogName === undefined
        ? null
        : await this.#document(this.#files.resolve(file, catalogName), catalogSchema, document.valueRange(["catalog"]));
    const subflows = new Map<string, FlowSources>();
    for (const { name, range } of subflowNames(document)) {
      const path = this.#files.resolve(file, name);
      const chain = [...ancestors, file];
      if (chain.includes(path)) {
        this.#problems.push(
          makeProblem(
            "E227",
            range,
            `The subflow leads back to itself: ${[...chain.slice(chain.indexOf(path)), path].join(" → ")}.`,
          ),
        );
        continue;
      }
      if (chain.length > MAX_FLOW_DEPTH) {
        this.#problems.push(makeProblem("E227", range, `Subflows are nested deeper than ${MAX_FLOW_DEPTH} levels.`));
        continue;
      }
      if (subflows.has(name)) continue;
      const inner = await this.flow(path, chain, range);
      if (inner !== null) subflows.set(name, inner);
    }
    return { document, includes, catalog, subflows };
  }

  /** @param from the place that names the file; undefined for the file of the command line */
  async #document(file: string, schema: z.ZodType, from: Range | undefined): Promise<ConfigDocument | null> {
    const start: Range = from ?? { file, line: 1, column: 1, endLine: 1, endColumn: 2 };
    const reading = await this.#files.read(file);
    switch (reading.kind) {
      case "missing": {
        const name = file.slice(file.lastIndexOf("/") + 1);
        this.#problems.push(
          makeProblem("E101", start, `The file '${file}' does not exist.`, {
            suggestion: nearestName(name, reading.siblings),
          }),
        );
        return null;
      }
      case "folder":
        this.#problems.push(makeProblem("E102", start, `'${file}' is a folder; name a flow file in it.`));
        return null;
      case "unreadable":
        this.#problems.push(makeProblem("E104", start, `'${file}' can't be read: ${reading.reason}`));
        return null;
      case "text":
        break;
    }
    this.#texts.set(file, reading.text);
    const { document, problems } = parseConfigDocument(file, reading.text);
    this.#problems.push(...problems);
    if (document === null) return null;
    this.#problems.push(...checkSchema(document, schema));
    return document;
  }
}

function subflowNames(document: ConfigDocument): { readonly name: string; readonly range: Range }[] {
  const found: { name: string; range: Range }[] = [];
  const visit = (value: unknown, path: readonly (string | number)[]): void => {
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) visit(item, [...path, i]);
      return;
    }
    const map = asMap(value);
    if (map === undefined) return;
    if (map.type === "subflow" && typeof map.file === "string")
      found.push({ name: map.file, range: document.valueRange([...path, "file"]) });
    for (const [key, inner] of Object.entries(map)) visit(inner, [...path, key]);
  };
  visit(document.data.workflow, ["workflow"]);
  return found;
}
