export type { Bank } from "./bank/bank.ts";
