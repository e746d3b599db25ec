import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/**
 * Runs a command to its end and returns its standard output. With `log` its lines go there too, as progress.
 *
 * @throws Error with the end of its output when the exit code is not 0
 */
export async function sh(command: string, args: readonly string[], log?: (line: string) => void): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  if (log) {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => String(chunk).split('\n').filter(Boolean).forEach(log));
    }
  }
  const exit = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  const [output, faults, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  if (code === 0) return output.trim();
  const end = `${output}\n${faults}`.trim().split('\n').slice(-20).join('\n');
  throw new Error(`${command} ${args[0] ?? ''} failed with exit code ${code}:\n${end}`);
}
