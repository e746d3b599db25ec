import { readConfig } from './config.ts';
import { createPlatform } from './platform.ts';
import { runAdmin } from './run.ts';
import { createTerminal } from './terminal.ts';

const terminal = createTerminal(process);
const platform = createPlatform(readConfig(process.env));
process.exitCode = await runAdmin(process.argv.slice(2), {
  ...{ platform, terminal },
  environment: process.env,
});
await platform.close();
