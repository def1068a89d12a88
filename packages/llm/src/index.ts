export { featurePlaces, hash384, type TextEmbedder } from "./hash384.ts";
