import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '@mostrador/local-platform/paths';
import { exactBreaks } from '../exact/breaks.ts';
import { breaks, broken } from './breaks.ts';

// Preloaded with `node --import`. The process then runs with the break that this module's URL names. No file changes.

const name = new URL(import.meta.url).searchParams.get('name');
const found = [...breaks, ...exactBreaks].find((candidate) => candidate.name === name);
if (!found || !('edits' in found)) throw new Error(`there is no break with the name ${name}`);
const { edits } = found;

// Read at once, so that a stale break ends every process, even one that never loads the file.
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
