import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';

/** The commit of the last release, as `workflows/src/replay/last-release.json` names it. */
export const lastRelease = (): string =>
  JSON.parse(readFileSync(join(root, 'workflows/src/replay/last-release.json'), 'utf8')).commit;

/**
 * Checks the commit out below `.local`, with its dependencies, and returns the folder. It is kept for the next run, and
 * others are removed.
 */
export function checkOut(commit: string): string {
  const resolved = spawnSync('git', ['rev-parse', '--verify', `${commit}^{commit}`], { cwd: root, encoding: 'utf8' });
  const name = resolved.stdout.trim();
  if (resolved.status !== 0) {
    throw new Error(`This clone does not have the commit ${commit}. Fetch the whole history: git fetch --unshallow.`);
  }
  const checkouts = join(root, '.local/last-release');
  const checkout = join(checkouts, name);
  if (!existsSync(checkout)) {
    rmSync(checkouts, { recursive: true, force: true });
    mkdirSync(checkout, { recursive: true });
    const archive = spawnSync('git', ['archive', name], { cwd: root, maxBuffer: 1 << 30 });
    const unpacked = spawnSync('tar', ['-x', '-C', checkout], { input: archive.stdout });
    if (archive.status !== 0 || unpacked.status !== 0) throw new Error(`${name} could not be checked out.`);
  }
  const installed = spawnSync(process.execPath, [join(checkout, 'infra/local/bootstrap.mjs')], {
    cwd: checkout,
    env: { ...process.env, CI: 'true' },
    stdio: 'inherit',
  });
  if (installed.status !== 0) throw new Error(`The dependencies of ${name} could not be installed.`);
  return checkout;
}
