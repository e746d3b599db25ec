import { spawn } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory, root } from '@mostrador/local-platform/paths';

/**
 * What a check keeps for its next run, which then looks only at what has changed. It names files from here and knows their
 * contents, so that a new clone begins with what another one has kept.
 */
const kept = join(root, '.local/cache/lint');
const ofAllClones = join(cacheDirectory(process.env), 'lint');
if (!existsSync(kept) && existsSync(ofAllClones)) cpSync(ofAllClones, kept, { recursive: true });
const types = (name: string) => ['--noEmit', '--incremental', '--tsBuildInfoFile', join(kept, `${name}.tsbuildinfo`)];

const folders = ['packages', 'services', 'workflows', 'apps', 'infra', 'tools', 'tests', 'bench', 'docs'];
const present = folders.filter((folder) => existsSync(join(root, folder)));

const checks: { name: string; command: string; args: string[] }[] = [
  { name: 'format and lint', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'types', command: 'tsc', args: types('all') },
  {
    name: 'types of the console',
    command: 'tsc',
    args: [...types('console'), '--project', join(root, 'apps/console')],
  },
  { name: 'boundaries', command: 'depcruise', args: ['--config', '.dependency-cruiser.mjs', ...present] },
  { name: 'dead code', command: 'knip', args: [] },
  { name: 'doc comments', command: 'node', args: [join(import.meta.dirname, 'doc-comments.ts')] },
  { name: 'migrations', command: 'node', args: [join(import.meta.dirname, 'migrations.ts')] },
];

// The other checks read the generated modules of the TypeScript SDK and of the console.
const generated = await runCheck({ command: 'node', args: [join(root, 'tools/sdk/main.ts'), 'generate'] });
if (!generated.ok)
  throw new Error(`The modules of the TypeScript SDK and the console could not be generated:\n${generated.text}`);

// The checks run in parallel. Their output appears after all have ended, so that it does not interleave.
const results = await Promise.all(checks.map(async (check) => ({ ...check, ...(await runCheck(check)) })));
cpSync(kept, ofAllClones, { recursive: true });
const failed = results.filter(({ ok }) => !ok);
for (const { name, text } of failed) console.log(`── ${name} ──\n${text}`);
for (const { name, ok, seconds } of results)
  console.log(`${ok ? 'ok    ' : 'failed'} ${name} (${seconds.toFixed(1)} s)`);
process.exitCode = failed.length > 0 ? 1 : 0;

function runCheck(check: { command: string; args: string[] }): Promise<{ ok: boolean; text: string; seconds: number }> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const child = spawn(join(root, 'node_modules/.bin', check.command), check.args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_UPDATE_NOTIFIER: '1' },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        text += chunk;
      });
    }
    const finish = (ok: boolean) => resolve({ ok, text, seconds: (performance.now() - startedAt) / 1000 });
    child.once('error', (error) => {
      text += error.message;
      finish(false);
    });
    child.once('close', (code) => finish(code === 0));
  });
}
