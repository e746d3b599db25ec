import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../../infra/local/paths.ts';
import { breaks, broken } from './breaks.ts';

// Loaded before a process's own code (`node --import`), which then runs with one break, named in this module's address.
// No file is touched.

const name = new URL(import.meta.url).searchParams.get('name');
const found = breaks.find((candidate) => candidate.name === name);
if (!found || !('edits' in found)) throw new Error(`no break of the code is called ${name}`);
const { edits } = found;

// Read before anything is loaded: a break that no longer fits ends every process, also those that never load the file.
const sources = new Map(
  edits.map(({ file }) => {
    const path = join(root, file);
    return [pathToFileURL(path).href, broken(readFileSync(path, 'utf8'), file, edits)];
  }),
);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const source = sources.get(url);
    return source === undefined ? loaded : { ...loaded, source };
  },
});
