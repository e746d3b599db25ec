import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..');
const outdir = join(folder, 'src/paraglide');
const stamp = join(outdir, 'hash');

/**
 * Compiles the texts of `messages` to `src/paraglide`: one typed function a text. Writes nothing when that is current,
 * because a test, a build and a type check may read it at the same time.
 */
export async function compileMessages(): Promise<void> {
  const hash = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  const { compile } = await import('@inlang/paraglide-js');
  await compile({
    project: join(folder, 'project.inlang'),
    outdir,
    // `main.tsx` defines `custom-browser`: the library's own choice does not see that `pt` is Portuguese.
    strategy: ['localStorage', 'custom-browser', 'baseLocale'],
    localStorageKey: 'mostrador.language',
    isServer: 'false',
    emitReadme: false,
  });
  // The library ignores failed writes, as with a limit of 1,024 open files.
  if (!existsSync(join(outdir, 'messages/_index.js'))) {
    throw new Error('The texts of the console could not be written. Raise the limit of open files: ulimit -n 4096.');
  }
  writeFileSync(stamp, hash);
}

/** A hash of the texts, the settings, this file and the lockfile (for the compiler). */
function fingerprint(): string {
  const hash = createHash('sha256');
  const sources = globSync(['messages/**/*.json', 'project.inlang/*.json'], { cwd: folder }).sort();
  for (const name of [...sources, 'build/messages.ts', '../../pnpm-lock.yaml']) {
    hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex');
}
