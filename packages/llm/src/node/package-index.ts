import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LlmError } from "../errors.ts";

/** Where Python's packages come from unless somebody has said otherwise. */
const DEFAULT_INDEX = "https://pypi.org/simple";

/**
 * The package index that this user's pip takes: `PIP_INDEX_URL`, else `index-url` of the first pip configuration file that
 * names one, else the public index.
 */
export function findPackageIndex(env: Readonly<Record<string, string | undefined>>, home: string): string {
  if (env.PIP_INDEX_URL) return env.PIP_INDEX_URL;
  const files = [
    ...(env.PIP_CONFIG_FILE ? [env.PIP_CONFIG_FILE] : []),
    join(env.XDG_CONFIG_HOME || join(home, ".config"), "pip", "pip.conf"),
    join(home, ".pip", "pip.conf"),
    ...(env.APPDATA ? [join(env.APPDATA, "pip", "pip.ini")] : []),
    "/etc/pip.conf",
  ];
  for (const file of files) {
    try {
      const url = readFileSync(file, "utf8").match(/^\s*index[-_]url\s*[=:]\s*(\S+)\s*$/m)?.[1];
      if (url !== undefined) return url;
    } catch {
      // Most of these files do not exist, and pip too passes over them.
    }
  }
  return DEFAULT_INDEX;
}

/** Address of the file of that name on the package's page of a "simple" index (PEP 503 and 691). */
export async function findPackageFile(
  index: string,
  {
    project,
    file,
    fetch,
  }: { readonly project: string; readonly file: string; readonly fetch: typeof globalThis.fetch },
): Promise<string> {
  const page = `${index.replace(/\/+$/, "")}/${project}/`;
  const response = await fetch(page, {
    headers: {
      accept: "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1",
    },
  });
  if (!response.ok) throw new LlmError("MODEL_UNAVAILABLE", `the index answered ${response.status} for '${project}'`);
  const body = await response.text();
  const base = response.url || page;
  const urls = response.headers.get("content-type")?.includes("json")
    ? (JSON.parse(body) as { readonly files?: readonly { readonly url: string }[] }).files?.map(({ url }) => url)
    : [...body.matchAll(/href\s*=\s*["']([^"'#]+)/g)].map(([, href]) => href!.replaceAll("&amp;", "&"));
  const found = urls
    ?.map((url) => new URL(url, base))
    .find(({ pathname }) => decodeURIComponent(pathname).endsWith(`/${file}`));
  if (found === undefined) throw new LlmError("MODEL_UNAVAILABLE", `the index has no '${file}'`);
  return found.href;
}
