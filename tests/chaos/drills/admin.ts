import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '@mostrador/local-platform/paths';
import type { Platform } from '../storm/platform.ts';

const run = promisify(execFile);

/** Runs an admin command on the platform, as an operator does, and returns what it prints with `--json`. */
export async function admin<Printed>(platform: Platform, ...words: string[]): Promise<Printed> {
  const args = [join(root, 'apps/admin/src/main.ts'), ...words, '--json'];
  const env = { ...process.env, NATS_URL: platform.servers.natsUrl };
  const { stdout } = await run(process.execPath, args, { env, maxBuffer: 1 << 26 });
  return JSON.parse(stdout) as Printed;
}
