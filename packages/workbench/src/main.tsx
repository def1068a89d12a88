import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { z } from "zod";
import { App } from "./app.tsx";
import { applyTheme, readTheme } from "./theme.ts";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/play.css";
import "./styles/polyguard.css";
import "./styles/flow.css";
import "./styles/spindleflow.css";

// The page's policy forbids making functions from text, which zod would otherwise try.
z.config({ jitless: true });
applyTheme(readTheme());

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
