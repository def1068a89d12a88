/** The page lies at `…/web/`; the server's routes begin one folder above. */
export function ownBase(documentUri = document.baseURI): string {
  return new URL("../", documentUri).href.replace(/\/$/, "");
}

/** Address of an environment of this server: a server of one environment serves it where the page is. */
export function environmentUrl(base: string, name: string, isOnly: boolean): string {
  return isOnly ? base : `${base}/${encodeURIComponent(name)}`;
}

/** Options of a server at an address, with the token given in this tab. */
export const serverOptions = (baseUrl: string, token: string): { baseUrl: string; token?: string } =>
  token === "" ? { baseUrl } : { baseUrl, token };
