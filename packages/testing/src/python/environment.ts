import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * The path of a Python with the packages of a requirements file. The first call on a machine installs them from PyPI
 * into the user's cache folder. Later calls need no network.
 *
 * @param what a name for the packages, for the progress on standard error
 */
export async function preparePython(requirements: string, what: string): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const script = join(import.meta.dirname, 'make_environment.py');
  const output = await runPython('python3', [script, requirements, join(cache, 'mostrador', 'python'), what]);
  return output.trim();
}

/** Runs a Python program and returns its standard output. Throws when Python is missing or the exit code is not 0. */
async function runPython(python: string, args: string[]): Promise<string> {
  const child = spawn(python, ['-B', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.on('data', (chunk) => process.stderr.write(chunk));
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new Error(`${python} could not be run: these tests need Python 3.10 or newer`, { cause: error })),
    );
    child.once('close', resolve);
  });
  const [output, code] = await Promise.all([text(child.stdout), exit]);
  if (code !== 0) throw new Error(`${python} ${args[0]} failed (exit code ${code}); its message is above`);
  return output;
}
