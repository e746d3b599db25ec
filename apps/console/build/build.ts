import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..');
const root = join(folder, '../..');

export const consoleCache = join(root, '.local/cache/console');

/**
 * Builds the console into a folder below `cacheDirectory` that is named by a hash of everything that it is built from,
 * and returns that folder. Builds nothing when it is there already. Folders of other sources are removed.
 */
export async function buildConsole(cacheDirectory: string): Promise<string> {
  const name = fingerprint();
  const target = join(cacheDirectory, name);
  if (existsSync(target)) return target;
  await mkdir(cacheDirectory, { recursive: true });
  // Two starts may build at once, so the folder is renamed into place and never read half written.
  const unfinished = `${target}.${process.pid}`;
  await makeConsole(unfinished);
  await rename(unfinished, target).catch(async (error) => {
    if (!existsSync(target)) throw error;
    await rm(unfinished, { recursive: true });
  });
  const outdated = (await readdir(cacheDirectory)).filter((entry) => /^[0-9a-f]{64}$/.test(entry) && entry !== name);
  await Promise.all(outdated.map((entry) => rm(join(cacheDirectory, entry), { recursive: true, force: true })));
  return target;
}

/** Imports its libraries only when there is something to build: they take half a second. */
async function makeConsole(outDir: string): Promise<void> {
  const { compileMessages } = await import('./messages.ts');
  await compileMessages();
  const { build, createLogger } = await import('vite');
  const customLogger = createLogger('warn');
  const { warnOnce } = customLogger;
  // Vite looks for `url()` in all declarations, also in those that CSS modules add, which come from no file.
  customLogger.warnOnce = (text, options) => {
    if (!text.includes('postcss.parse')) warnOnce(text, options);
  };
  const { NODE_ENV } = process.env;
  // Where it is something else, as in a test, Vite takes the development builds of the libraries.
  process.env.NODE_ENV = 'production';
  try {
    // Vite reports its progress on standard output, past any logger, unless the level is above `info`.
    await build({
      root: folder,
      logLevel: 'warn',
      customLogger,
      build: { outDir, emptyOutDir: true, reportCompressedSize: false },
    });
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}

/** A hash of the sources, of the lockfile (for the libraries) and of the repository's path. */
function fingerprint(): string {
  const hash = createHash('sha256').update(root);
  const sources = [
    'build/*.ts',
    'messages/**/*.json',
    'project.inlang/*.json',
    'src/**/*.{ts,tsx,css}',
    '*.{html,json,ts}',
  ];
  const files = globSync(sources, { cwd: folder }).filter(
    (file) => !/[.]test[.]ts$|^src\/(paraglide|generated)\//.test(file),
  );
  // A package of this repository that the console uses.
  files.push(...globSync('../../packages/hours/src/*.ts', { cwd: folder }));
  hash.update(readFileSync(join(root, 'pnpm-lock.yaml')));
  for (const file of files.sort()) hash.update(`\0${file}\0`).update(readFileSync(join(folder, file)));
  return hash.digest('hex');
}
