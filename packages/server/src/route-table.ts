import type { Context, Hono } from "hono";

/** Methods by path, for the replies to what is not there: 405 with `allow`, 307 off a trailing slash, else 404. */
export class RouteTable {
  #routes: { readonly method: string; readonly pattern: RegExp }[] = [];

  /** Takes in all routes of `app`; to be called when it is complete. */
  learn(app: Hono): void {
    this.#routes = app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => ({
        method,
        pattern: new RegExp(`^${path.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/:[^/]+/g, "[^/]+")}$`),
      }));
  }

  /** The reply for a path and method that no route took. */
  missing(c: Context): Response {
    const { path } = c.req;
    if (this.#methods(path).length > 0) return this.refuse(c);
    if (path.length > 1 && path.endsWith("/") && this.#methods(path.slice(0, -1)).length > 0)
      return c.redirect(path.slice(0, -1) + new URL(c.req.url).search, 307);
    return c.json({ detail: "Not Found" }, 404);
  }

  /** 405 if the path exists, for `method` if given; else 404. */
  refuse(c: Context, method?: string): Response {
    const methods = this.#methods(c.req.path);
    if (methods.length === 0 || (method !== undefined && !methods.includes(method)))
      return c.json({ detail: "Not Found" }, 404);
    return c.json({ detail: "Method Not Allowed" }, 405, { allow: methods.join(", ") });
  }

  #methods(path: string): string[] {
    return [...new Set(this.#routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
  }
}
