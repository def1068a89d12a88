import fc from "fast-check";

// Property tests draw the same cases in every run, so that a failure is the change's and shows again: PRAXIS_TEST_SEED=N
// draws others.
const seed = Number(process.env.PRAXIS_TEST_SEED ?? 1);
if (!Number.isSafeInteger(seed)) throw new Error("PRAXIS_TEST_SEED must be a whole number");
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
