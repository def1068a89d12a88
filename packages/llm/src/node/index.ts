export { findMiniLmFiles, type MiniLmSearch } from "./minilm-files.ts";
