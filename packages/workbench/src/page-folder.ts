import { fileURLToPath } from "node:url";

/** Folder of the built page: `index.html` and its assets. Node only; `npm run build` fills it. */
export const pageFolder: string = fileURLToPath(new URL("../dist/web/", import.meta.url));
