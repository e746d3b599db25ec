/** How many lines the report of a failed test shows at most. */
const most = 100;
let lines: string[] = [];

/** Keeps what a service under test logs. The setup file prints it if the test fails, so that CI shows the cause. */
export function keepLine(line: string): void {
  lines.push(line.trimEnd());
  if (lines.length > most) lines.shift();
}

/** The lines since the last call. */
export function takeLines(): string[] {
  const taken = lines;
  lines = [];
  return taken;
}
