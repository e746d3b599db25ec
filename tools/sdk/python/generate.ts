import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { preparePython } from '@mostrador/testing/python/environment';
import { run } from '../../clients/run.ts';
import { apiDocument } from '../document.ts';
import { releaseVersion } from '../version.ts';
import { pythonDocument, pythonEvents, pythonProblems } from './sources.ts';

export const sdkFolder = join(root, 'packages/sdk-python');

/** Writes `mostrador/_generated` of the Python SDK. Resolves with the folder of the Python programs. */
export async function generatePython(): Promise<string> {
  const programs = dirname(
    await preparePython(join(import.meta.dirname, 'requirements.txt'), "the Python SDK's tools"),
  );
  const document = apiDocument();
  const folder = mkdtempSync(join(tmpdir(), 'mostrador-sdk-python-'));
  const file = join(folder, 'openapi.json');
  const generated = join(sdkFolder, 'mostrador/_generated');
  try {
    writeFileSync(file, JSON.stringify(pythonDocument(document)));
    await run(
      join(programs, 'openapi-python-client'),
      [
        ...['generate', '--path', file, '--output-path', generated, '--overwrite', '--meta', 'none'],
        ...['--custom-template-path', join(sdkFolder, 'templates'), '--config', join(sdkFolder, 'generator.yaml')],
        '--fail-on-warning',
      ],
      { cwd: folder, env: { PATH: `${programs}:${process.env.PATH}` } },
    );
    writeFileSync(join(generated, 'problems.py'), pythonProblems(document));
    writeFileSync(join(generated, 'events.py'), pythonEvents(document));
    writeFileSync(join(generated, 'version.py'), `__version__ = "${releaseVersion()}"\n`);
    return programs;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
