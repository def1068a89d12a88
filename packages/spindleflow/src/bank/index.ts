export { type Bank, SECTORS } from "./bank.ts";
export { layOutTexts, vectorsAt } from "./bank-texts.ts";
export { encodeFloat16 } from "./float16.ts";
export { loadBank, loadBankText } from "./load-bank.ts";
export { bankLines, makeBank } from "./make-bank.ts";
export { computeSpawnThreshold } from "./spawn-threshold.ts";
