import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

/** Server that `npm run dev -w @praxis/workbench` speaks to; start it with `npm start`. */
const SERVER = "http://127.0.0.1:8000";

export default defineConfig({
  // Relative, so that the page works behind any prefix.
  base: "./",
  plugins: [react()],
  // Our packages are bundled from their sources: nothing has to be compiled before.
  resolve: { conditions: ["praxis-source", ...defaultClientConditions] },
  build: {
    outDir: "dist/web",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
  server: {
    proxy: {
      "^/(?!web/|@|node_modules|src).+": { target: SERVER, ws: true },
    },
  },
});
