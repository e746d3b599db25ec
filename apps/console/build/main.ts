import { buildConsole, consoleCache } from './build.ts';

// Prints the folder with the console: built now, or at an earlier start from the same sources.
console.log(await buildConsole(process.argv[2] ?? consoleCache));
