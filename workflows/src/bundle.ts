import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';

export type WorkflowBundle = { readonly code: string };

const sources = import.meta.dirname;
const root = join(sources, '../..');

/**
 * The code of all workflows in one file, as workers load it. A build takes a second and much memory, so a
 * `cacheDirectory` keeps the bundle under a hash of its sources.
 */
export async function loadWorkflowBundle(options: {
  cacheDirectory?: string;
  logger?: Logger;
}): Promise<WorkflowBundle> {
  const { cacheDirectory, logger } = options;
  if (!cacheDirectory) return makeWorkflowBundle(join(sources, 'workflows.ts'), logger);

  const name = `${await fingerprintOf(root)}.js`;
  const file = join(cacheDirectory, name);
  const cached = await readFile(file, 'utf8').catch(() => undefined);
  if (cached) return { code: cached };

  const bundle = await makeWorkflowBundle(join(sources, 'workflows.ts'), logger);
  await mkdir(cacheDirectory, { recursive: true });
  // Two workers may start at once, so the file is renamed into place and never read half written.
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, bundle.code);
  await rename(unfinished, file);
  const outdated = (await readdir(cacheDirectory)).filter((entry) => entry.endsWith('.js') && entry !== name);
  await Promise.all(outdated.map((entry) => rm(join(cacheDirectory, entry), { force: true })));
  return bundle;
}

/** Bundles the workflows that a module exports. */
export async function makeWorkflowBundle(workflowsPath: string, logger?: Logger): Promise<WorkflowBundle> {
  const workflowInterceptorModules = [join(sources, 'trace-context.ts')];
  const { code } = await bundleWorkflowCode({ workflowsPath, workflowInterceptorModules, logger });
  return { code };
}

/**
 * A hash of the sources and of the lockfile (for the SDK's part of the bundle) in a checkout. It does not depend on the
 * checkout's path, so a bundle that was built elsewhere, as in an image, is found.
 */
export async function fingerprintOf(checkout: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of [
    'pnpm-lock.yaml',
    ...(await typescriptOf(checkout, 'packages/contracts/src')),
    ...(await typescriptOf(checkout, 'workflows/src')),
  ]) {
    hash.update(`\0${file}\0`).update(await readFile(join(checkout, file)));
  }
  return hash.digest('hex');
}

async function typescriptOf(checkout: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(checkout, folder));
  return entries
    .filter((entry) => entry.endsWith('.ts') && !entry.endsWith('.test.ts'))
    .sort()
    .map((entry) => join(folder, entry));
}
