/** What a command needs of the terminal; handed in so that tests need none. */
export interface Terminal {
  /** Data. */
  out(text: string): void;
  /** Talk: notes, progress, errors. */
  err(text: string): void;
  /** True when stderr is a terminal: progress lines only then. */
  readonly isInteractive: boolean;
  /** True when stdout takes colour (a terminal, and NO_COLOR unset). */
  readonly hasColor: boolean;
}

/** The process's own terminal. */
export function processTerminal(): Terminal {
  // A reader that has seen enough (`praxis play … | head`) closes the pipe; that is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    isInteractive: process.stderr.isTTY === true,
    hasColor: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
  };
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

/** `text` in a colour or weight, unchanged where the terminal takes none. */
export function styled(terminal: Terminal, style: keyof typeof CODES, text: string): string {
  return terminal.hasColor ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
}

/** A progress line that rewrites itself; silent unless the terminal is interactive. */
export function makeProgress(
  terminal: Terminal,
  label: string,
): { step(done: number, total: number): void; end(): void } {
  let shown = false;
  return {
    step(done, total) {
      if (!terminal.isInteractive) return;
      shown = true;
      process.stderr.write(`\r${label}: ${done}/${total} `);
    },
    end() {
      if (shown) process.stderr.write("\r\u001b[K");
    },
  };
}
