import { join } from 'node:path';
import { preparePython } from '../../python/environment.ts';

let prepared: Promise<string> | undefined;

/** The path of a Python with the CalDAV servers and client. */
export const prepareCaldav = (): Promise<string> => {
  prepared ??= preparePython(join(import.meta.dirname, 'requirements.txt'), 'the CalDAV test servers');
  return prepared;
};
