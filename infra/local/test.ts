import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheDirectory, root } from '@mostrador/local-platform/paths';

// `npm test`: runs vitest with the given arguments in this process, so that signals reach it. The projects with
// integration tests start their servers (test-servers.ts), and only when they have files to run. Without the name of a
// project, a file or a test, what `npm run test:hard` and `npm run replay` run is left out.
process.chdir(root);
// vitest stores a token in the user's data folder. This moves the token into our cache.
process.env.XDG_DATA_HOME = join(cacheDirectory(process.env), 'data');
// Workers and the processes that tests start strip and compile each file once.
process.env.NODE_COMPILE_CACHE ??= join(root, '.local/cache/node');
const chosen = process.argv.slice(2);
const all = chosen.every((argument) => argument.startsWith('-') && !argument.startsWith('--project'));
process.argv.splice(2, 0, 'run', ...(all ? ['unit', 'int', 'e2e*'].flatMap((name) => ['--project', name]) : []));
const vitest = dirname(createRequire(import.meta.url).resolve('vitest/package.json'));
await import(pathToFileURL(join(vitest, 'vitest.mjs')).href);
