import { spawn } from 'node:child_process';

export type Command = {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
};

const limitMs = 10 * 60_000;
/** A program that runs for seconds: the compiler that makes the fastest code costs more than it saves. */
const briefJava = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';
/** With what the machine says already, such as its proxy. */
const javaOptions = [process.env.JAVA_TOOL_OPTIONS, briefJava].filter(Boolean).join(' ');
const shownLines = 40;

/** Runs a program to its end and returns its output. Throws with the end of its output when it fails. */
export async function run(program: string, args: readonly string[], { cwd, env }: Command): Promise<string> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, JAVA_TOOL_OPTIONS: javaOptions, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new Error(`there is no \`${program}\` on PATH`) : error),
    );
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  if (code === 0) return output;
  throw new Error(`${program} ended with ${code}:\n${output.trimEnd().split('\n').slice(-shownLines).join('\n')}`);
}
