export { SECTORS } from "./bank.ts";
export { BankIndex } from "./bank-index.ts";
export { layOutTexts, vectorsAt } from "./bank-texts.ts";
export { encodeFloat16 } from "./float16.ts";
export { loadBankText } from "./load-bank.ts";
export { bankLines } from "./make-bank.ts";
export { measureThresholds } from "./thresholds.ts";
