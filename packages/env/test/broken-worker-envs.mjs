// Definitions for tests of worker threads; plain JavaScript, as a worker on Node 20 loads no TypeScript.

/** An environment whose action decides how its thread breaks. */
export const exiting = {
  makeEnv: () => ({
    reset: () => ({ observation: {}, info: {} }),
    step(action) {
      if (action === "exit") process.exit(7);
      if (action === "throw later")
        setImmediate(() => {
          throw new Error("thrown later");
        });
      const info = action === "function" ? { call: () => 0 } : {};
      return { observation: {}, reward: 0, terminated: false, truncated: false, info };
    },
    close: () => undefined,
  }),
};

export const unmakeable = {
  makeEnv() {
    throw new Error("This environment can't be made.");
  },
};

export const unclosable = {
  makeEnv: () => ({
    close() {
      throw new Error("stuck");
    },
  }),
};

/** Makes a definition that works. */
export const makeStaying = () => ({
  makeEnv: () => ({
    reset: () => ({ observation: {}, info: { made: true } }),
    close: () => undefined,
  }),
});
