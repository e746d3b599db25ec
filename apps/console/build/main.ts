import { join } from 'node:path';
import { buildConsole } from './build.ts';

// Prints the folder with the console: built now, or at an earlier start from the same sources.
const cache = join(import.meta.dirname, '../../../.local/cache/console');
console.log(await buildConsole(process.argv[2] ?? cache));
