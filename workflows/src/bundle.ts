import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

  const name = `${await fingerprint()}.js`;
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

/** A hash of the sources, of the lockfile (for the SDK's part of the bundle) and of the repository's path. */
async function fingerprint(): Promise<string> {
  const contracts = dirname(fileURLToPath(import.meta.resolve('@mostrador/contracts/workflows')));
  const hash = createHash('sha256').update(root);
  for (const file of [
    join(root, 'pnpm-lock.yaml'),
    ...(await typescriptOf(contracts)),
    ...(await typescriptOf(sources)),
  ]) {
    hash.update(`\0${file}\0`).update(await readFile(file));
  }
  return hash.digest('hex');
}

async function typescriptOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder);
  return entries
    .filter((entry) => entry.endsWith('.ts') && !entry.endsWith('.test.ts'))
    .sort()
    .map((entry) => join(folder, entry));
}
