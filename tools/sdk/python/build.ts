import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../clients/run.ts';
import { examplesOf, missingLines } from '../examples.ts';
import type { ExampleInput } from '../platform.ts';
import { generatePython, sdkFolder } from './generate.ts';

/** Writes the wheel and the source archive to `packages/sdk-python/dist`. Resolves with the folder of the Python programs. */
export async function buildPython(): Promise<string> {
  const programs = await generatePython();
  rmSync(join(sdkFolder, 'dist'), { recursive: true, force: true });
  await run(join(programs, 'python'), ['-m', 'build', '--no-isolation'], { cwd: sdkFolder });
  return programs;
}

/** Checks the types of the Python SDK and runs its tests. */
export async function testPython(programs: string): Promise<void> {
  await run(join(programs, 'mypy'), [], { cwd: sdkFolder });
  await run(join(programs, 'python'), ['-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'], { cwd: sdkFolder });
}

/** Installs the wheel, and checks and runs the examples of the README with it, as `tryTypescriptExamples` does. */
export async function tryPythonExamples(programs: string, input: ExampleInput): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mostrador-sdk-python-'));
  try {
    const installed = join(folder, 'installed');
    mkdirSync(installed);
    const wheels = globSync(join(sdkFolder, 'dist/*.whl'));
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-index', '--target', installed, ...wheels];
    await run(join(programs, 'python'), pip, { cwd: folder });
    const program = examplesOf(readFileSync(join(sdkFolder, 'README.md'), 'utf8'), 'python');
    writeFileSync(join(folder, 'readme.py'), program);
    const mypy = ['--strict', '--follow-imports=silent', '--no-warn-unused-ignores', 'readme.py'];
    await run(join(programs, 'mypy'), mypy, { cwd: folder, env: { MYPYPATH: installed } });
    const env = { ...input, PYTHONPATH: installed, NO_PROXY: '127.0.0.1,localhost' };
    const output = await run(join(programs, 'python'), ['-B', '-W', 'error', 'readme.py'], { cwd: folder, env });
    const missing = missingLines(program, output);
    if (missing.length > 0) throw new Error(`The examples print no ${missing.join(', ')}, but:\n${output}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
