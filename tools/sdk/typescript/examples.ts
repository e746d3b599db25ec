import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { run } from '../../clients/run.ts';
import { examplesOf, missingLines } from '../examples.ts';
import type { ExampleInput } from '../platform.ts';
import { sdkFolder } from './generate.ts';

/**
 * Installs the built package in a new project, compiles the examples of the README there, and runs them. Throws when that
 * fails, or when they do not print what their comments say.
 *
 * @param file the package as a file
 */
export async function tryTypescriptExamples(file: string, input: ExampleInput): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mostrador-sdk-'));
  try {
    const program = examplesOf(readFileSync(join(sdkFolder, 'README.md'), 'utf8'), 'ts');
    writeFileSync(join(folder, 'readme.ts'), program);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    // It has no dependencies, so nothing is downloaded.
    await run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', file], { cwd: folder });
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true };
    const types = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] };
    const compilerOptions = { target: 'es2022', module: 'nodenext', ...strict, ...types };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['readme.ts'] }));
    await run(join(root, 'node_modules/.bin/tsc'), ['--project', 'tsconfig.json'], { cwd: folder });
    const output = await run(process.execPath, ['readme.ts'], { cwd: folder, env: input });
    const missing = missingLines(program, output);
    if (missing.length > 0) throw new Error(`The examples print no ${missing.join(', ')}, but:\n${output}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
