import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheDirectory, root } from './paths.ts';

// What `npm test` runs, with its arguments: vitest in this very process, so that signals reach it. The servers that
// integration tests need are started by the project `int` itself (test-servers.ts), and only when it has files to run.
process.chdir(root);
// vitest keeps a token in the user's data folder; ours is the cache.
process.env.XDG_DATA_HOME = join(cacheDirectory(process.env), 'data');
process.argv.splice(2, 0, 'run');
const vitest = dirname(createRequire(import.meta.url).resolve('vitest/package.json'));
await import(pathToFileURL(join(vitest, 'vitest.mjs')).href);
