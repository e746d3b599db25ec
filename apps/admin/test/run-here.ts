import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { readConfig } from '../src/config.ts';
import { createPlatform, type Platform } from '../src/platform.ts';
import { runAdmin } from '../src/run.ts';
import { createTerminal } from '../src/terminal.ts';

export type Ended = { readonly out: string; readonly err: string; readonly exitCode: number | null };

/** Runs the command in this process. Its output is no terminal, and no signal reaches it. */
export async function runHere(
  argv: readonly string[],
  platform: Platform,
  input = '',
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Ended> {
  const texts = { out: '', err: '' };
  const collector = (name: keyof typeof texts) =>
    new Writable({
      write(chunk, _encoding, done) {
        texts[name] += String(chunk);
        done();
      },
    });
  const streams = Object.assign(new EventEmitter(), {
    stdin: Readable.from([input]),
    stdout: collector('out'),
    stderr: collector('err'),
    exit: (code: number) => {
      throw new Error(`the command exited with ${code}`);
    },
  });
  const terminal = createTerminal(streams as unknown as Parameters<typeof createTerminal>[0]);
  const exitCode = await runAdmin(argv, { platform, terminal, environment });
  return { ...texts, exitCode };
}

/** Does the same on the platform whose NATS has this address. */
export async function runAt(natsUrl: string, argv: readonly string[], input?: string): Promise<Ended> {
  const platform = createPlatform(readConfig({ ...process.env, NATS_URL: natsUrl }));
  const ended = await runHere(argv, platform, input);
  await platform.close();
  return ended;
}
