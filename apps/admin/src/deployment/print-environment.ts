import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { processNames } from '@mostrador/platform/processes';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { UsageError } from '../exit.ts';
import { environmentFile } from './environment-file.ts';
import { defaultFolder } from './secrets-folder.ts';

type Options = { folder: string; json?: boolean };

export const printEnvironmentCommand = (admin: Admin): Command =>
  verb('env', 'Print the environment file of a process', ['platform env crm --folder /etc/mostrador/secrets > crm.env'])
    .argument('<process>', `one of ${processNames.join(', ')}`)
    .option('--folder <path>', 'the folder of `secrets generate`, where the process will find it', defaultFolder)
    .addHelpText(
      'after',
      `
It has no secret, only the paths of their files. Settings come from the environment of this command: set TEMPORAL_ADDRESS,
PUBLIC_URL, NATS_TLS_CA and the others once, and print the file of each process. docs/reference/configuration.md
describes them.`,
    )
    .action((name: string, options: Options) => {
      const process = processNames.find((each) => each === name);
      if (!process) throw new UsageError([`the process must be one of ${processNames.join(', ')}`]);
      const { text, missing } = environmentFile(process, {
        folder: options.folder,
        environment: admin.environment,
        hasSecret: (variable) => existsSync(join(options.folder, process, variable)),
      });
      if (missing.length > 0) {
        throw new UsageError(missing.map((variable) => `${process} needs ${variable}: ${remedyOf(variable, options)}`));
      }
      printResult(admin, options, { process, text }, () => text.trimEnd());
    });

const remedyOf = (variable: string, { folder }: Options): string =>
  variable.endsWith('_FILE')
    ? `write the secret into ${folder} with \`secrets generate\`, or set the variable`
    : 'set it in the environment of this command';
