import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheDirectory, root } from './paths.ts';

// `npm test`: runs vitest with the given arguments in this process, so that signals reach it. The project `int` starts
// the servers for integration tests (test-servers.ts), and only when it has files to run.
process.chdir(root);
// vitest stores a token in the user's data folder. This moves the token into our cache.
process.env.XDG_DATA_HOME = join(cacheDirectory(process.env), 'data');
// Workers and the processes that tests start strip and compile each file once.
process.env.NODE_COMPILE_CACHE ??= join(root, '.local/cache/node');
process.argv.splice(2, 0, 'run');
const vitest = dirname(createRequire(import.meta.url).resolve('vitest/package.json'));
await import(pathToFileURL(join(vitest, 'vitest.mjs')).href);
