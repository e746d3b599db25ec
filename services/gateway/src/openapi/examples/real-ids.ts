import { existsSync, readFileSync } from 'node:fs';
import { ids } from './optician.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Puts ids of real rows into the examples of the API document, so that requests find something as they are filled in.
 *
 * @param file a JSON object with an id for each of some names of `ids`; without the file the examples stay as they are
 */
export function withRealIds(document: string, file: string | undefined): string {
  if (file === undefined || !existsSync(file)) return document;
  const real = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  return Object.entries(ids).reduce((text, [name, id]) => {
    const other = real[name];
    return typeof other === 'string' && uuid.test(other) ? text.replaceAll(id, other) : text;
  }, document);
}
