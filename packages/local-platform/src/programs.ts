import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './paths.ts';

const folder = join(root, '.local/cache/programs');
/** A platform that still runs loads some parts of its bundle only when it needs them. */
const kept = 10;

/** A program's place in the folder of `providePrograms`. */
export const bundled = (program: string): string => program.replace(/\.ts$/, '.mjs');

/** The files that a bundle may have, beside libraries. From the repository's root. */
export const sourcesOfPrograms = (): string[] =>
  globSync('{packages,services}/*/src/**/*.ts', { cwd: root })
    .concat(globSync('workflows/src/**/*.ts', { cwd: root }))
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('node_modules'))
    .sort();

/**
 * The folder of the bundled programs of this checkout: built now, or at an earlier start from the same sources. Build
 * output is only a cache: docs/adr/0005.
 */
export async function providePrograms(): Promise<string> {
  const target = join(folder, fingerprint());
  if (!existsSync(target)) await build(target);
  const now = new Date();
  await utimes(target, now, now);
  await removeUnused();
  return target;
}

/** In a process of its own, because the bundler's memory stays. */
async function build(target: string): Promise<void> {
  // Two starts may build at once, so the folder is renamed into place and never read half written.
  const unfinished = `${target}.${process.pid}`;
  await mkdir(folder, { recursive: true });
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'bundle-programs.ts'), unfinished]);
  await rename(unfinished, target).catch(async (error) => {
    if (!existsSync(target)) throw error;
    await rm(unfinished, { recursive: true });
  });
}

async function removeUnused(): Promise<void> {
  const built = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const used = await Promise.all(
    built.map(async (name) => ({ name, at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const unused = used.sort((one, other) => other.at - one.at).slice(kept);
  await Promise.all(unused.map(({ name }) => rm(join(folder, name), { recursive: true, force: true })));
}

/** A hash of the sources, of the lockfile (for the libraries) and of the repository's path, which is in the bundles. */
function fingerprint(): string {
  const hash = createHash('sha256').update(root).update(process.version);
  for (const file of ['pnpm-lock.yaml', ...sourcesOfPrograms()]) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}
