/** The exit code of a check for which this machine lacks a tool. `.ci/summary.mjs` calls it skipped and does not count it. */
export const skippedCode = 77;

/**
 * Runs a command: reads its arguments, and prints the help or what is wrong with them. Resolves with the exit code: 2 for
 * wrong usage.
 *
 * @param settingsOf undefined: the help is wanted. It throws when the arguments are wrong
 * @param run the command itself, which resolves with its exit code
 */
export async function runCommand<Settings>(
  argv: readonly string[],
  help: string,
  settingsOf: (argv: readonly string[]) => Settings | undefined,
  run: (settings: Settings) => Promise<number>,
): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = settingsOf(argv);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    return 2;
  }
  if (settings) return await run(settings);
  console.log(help);
  return 0;
}
