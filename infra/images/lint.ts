import { dirname, join } from 'node:path';
import { preparePython } from '../../packages/testing/src/python/environment.ts';
import { sh } from './shell.ts';

const folder = import.meta.dirname;

/** What hadolint finds in the Dockerfile. */
export async function dockerfileFaults(): Promise<string[]> {
  const python = await preparePython(join(folder, 'requirements.txt'), 'the linter of Dockerfiles');
  return sh(join(dirname(python), 'hadolint'), [join(folder, 'Dockerfile')]).then(
    () => [],
    (error: Error) => [error.message],
  );
}
