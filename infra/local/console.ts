import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '@mostrador/local-platform/paths';

/** The folder with the built console. It is built when its sources have changed since the last time. */
export async function provideConsole(): Promise<string> {
  const child = spawn(process.execPath, [join(root, 'apps/console/build/main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Vite prints nothing but faults.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const exited = new Promise<number | null>((resolve, reject) => child.once('exit', resolve).once('error', reject));
  const [output, faults, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  const directory = output.trim().split('\n').at(-1);
  if (exitCode !== 0 || !directory) throw new Error(`The console could not be built:\n${faults || output}`);
  return directory;
}
