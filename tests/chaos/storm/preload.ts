import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The arguments of a process that loads a module of this folder first. */
export function preload(file: 'broken-code.ts' | 'skewed-clock.ts', parameters: Record<string, string>): string[] {
  const url = pathToFileURL(join(import.meta.dirname, file));
  url.search = new URLSearchParams(parameters).toString();
  return ['--import', url.href];
}
