import { createApiKey, scopes } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { newKeyText } from './key-text.ts';

/** `--scopes all` and `--expires never` are the defaults, for a command that says so. */
const allScopes = 'all';
const never = 'never';

type Options = { store?: string; name?: string; scopes?: string[]; expires?: string; json?: boolean };

export const createKeyCommand = (admin: Admin): Command =>
  verb('create', 'Create an API key for a store; the key is shown only once', [
    'key create --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --name "Booking site" --scopes all --expires never',
    'key create --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --name Screen --scopes appointments:read,store:read --expires 2027-06-30T00:00:00Z',
  ])
    .option('--store <id>', 'the store that the key gives access to (required)')
    .option('--name <name>', 'what the key is for (required)')
    .option(
      '--scopes <list>',
      `what the key may do, separated by commas: ${scopes.join(', ')}; or all (default: all)`,
      (typed) => typed.split(',').map((scope) => scope.trim()),
    )
    .option('--expires <time>', 'when the key expires, such as 2027-06-30T00:00:00Z, or never (default: never)')
    .action(async (options: Options) => {
      const { store, name, scopes: chosen, expires } = options;
      const request = checked(
        createApiKey,
        {
          store_id: store,
          name,
          scopes: chosen?.join() === allScopes ? undefined : chosen,
          expires_at: expires === never ? undefined : expires,
        },
        { store_id: '--store', expires_at: '--expires' },
      );
      const made = await admin.platform.call(createApiKey, request);
      if (!options.json && !chosen) admin.terminal.note('The key has all scopes. `--scopes` gives a key fewer.');
      if (!options.json && !expires) admin.terminal.note('The key never expires. `--expires` gives a key an end.');
      printResult(admin, options, made, ({ api_key, key }) => newKeyText(api_key, key));
    });
