import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { buildConsole, consoleCache } from './build.ts';

/** What a browser loads before a screen is usable. */
const firstLoadLimit = 250 * 1024;

/** The build that `npm start` and the browser tests use. */
let built: string;
beforeAll(async () => {
  built = await buildConsole(consoleCache);
});

const htmlOf = () => readFile(join(built, 'index.html'), 'utf8');

test('the console is built once, and builds of other sources are removed', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'mostrador-console-'));
  await mkdir(join(cache, '0'.repeat(64)));
  // Images and the pages about deployments take all that the command prints.
  const command = [join(import.meta.dirname, 'main.ts'), cache];
  const printed = spawnSync(process.execPath, command, { encoding: 'utf8' });
  const first = await buildConsole(cache);
  expect(printed).toMatchObject({ stdout: `${first}\n`, stderr: '' });
  expect(await readdir(cache)).toEqual([first.split('/').at(-1)]);
  await rm(join(first, 'assets'), { recursive: true });
  expect(await buildConsole(cache)).toBe(first);
  await expect(readdir(join(first, 'assets'))).rejects.toThrow();
  await rm(cache, { recursive: true });
});

type Chunk = { file: string; imports?: string[]; css?: string[] };

/** Every file that a browser loads for these modules. */
async function filesOf(modules: readonly string[]): Promise<Set<string>> {
  const manifest: Record<string, Chunk> = JSON.parse(await readFile(join(built, '.vite/manifest.json'), 'utf8'));
  const files = new Set(['index.html']);
  const add = (module: string) => {
    const chunk = manifest[module];
    if (!chunk) throw new Error(`the build has no ${module}`);
    if (files.has(chunk.file)) return;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    chunk.imports?.forEach(add);
  };
  modules.forEach(add);
  return files;
}

test.each([
  ['inbox', ['inbox/inbox', 'inbox/thread']],
  ['keys', ['keys/keys']],
  ['sessions', ['account/sessions']],
])('the first load of %s takes less than 250 KiB gzipped', async (_, screens) => {
  const files = await filesOf(['index.html', 'src/shell/shell.tsx', ...screens.map((screen) => `src/${screen}.tsx`)]);
  const sizes = [...files].map(async (file) => gzipSync(await readFile(join(built, file))).length);
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size);
  expect(total).toBeGreaterThan(50 * 1024);
  expect(total).toBeLessThan(firstLoadLimit);
});

test('the first load has no typeface', async () => {
  const files = await filesOf(['index.html', 'src/shell/shell.tsx', 'src/inbox/inbox.tsx']);
  const styles = [...files].filter((file) => file.endsWith('.css'));
  expect(styles.length).toBeGreaterThan(2);
  for (const file of styles) expect(await readFile(join(built, file), 'utf8'), file).not.toContain('@font-face');
  expect(await readdir(join(built, 'assets'))).toContainEqual(expect.stringMatching(/^inter-.*[.]woff2$/));
});

test('every screen is a file of its own, which the page does not load at once', async () => {
  const files = await readdir(join(built, 'assets'));
  const html = await htmlOf();
  for (const screen of ['login', 'shell', 'inbox', 'thread', 'keys', 'sessions']) {
    expect(files.filter((file) => file.startsWith(`${screen}-`)).length, screen).toBeGreaterThan(0);
    expect(html).not.toContain(`/${screen}-`);
  }
});

test('the page loads only from its own origin', async () => {
  const html = await htmlOf();
  const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(addresses.length).toBeGreaterThan(2);
  for (const address of addresses) expect(address).toMatch(/^(\/console\/assets\/[\w.-]+$|data:image\/svg)/);
});
