/** The exit codes of the command. */
export const exitCodes = { done: 0, refused: 1, usage: 2, notRunning: 3, interrupted: 130 } as const;

/** The command line is wrong. Each fault is one line and names an option or a place in a file. */
export class UsageError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** The command does not begin, or does not go on, because of what it found. The message says what to do. */
export class Refused extends Error {}

/** Nothing answers at the platform's address. */
export class NotRunning extends Error {}

/** The command has already printed everything. Only its exit code is left to set. */
export class Ended extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}
