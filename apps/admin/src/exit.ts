/** What the command's exit code tells a script. */
export const exitCodes = { done: 0, refused: 1, usage: 2, notRunning: 3, interrupted: 130 } as const;

/** The command was not given what it needs. Each line is one fault, in the words of the command's options. */
export class UsageError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Nothing answers at the platform's address. */
export class NotRunning extends Error {}

/** The command has told everything already; what remains is its exit code. */
export class Ended extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}
