import { removeUser } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { shown } from '../terminal.ts';
import { creationsText, type EndsOptions, endsOf, endsOptions } from './creations-text.ts';

export const removeUserCommand = (admin: Admin): Command =>
  verb('remove', 'Remove a person from a store; their sessions and login links in it end at once', [
    'user remove --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --email ana@example.com',
    'user remove --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --email ana@example.com --revoke-keys --pause-webhooks',
  ])
    .option('--store <id>', 'the store (required)')
    .option('--email <address>', 'the email address (required)')
    .option(...endsOptions[0])
    .option(...endsOptions[1])
    .action(async (options: { store?: string; email?: string; json?: boolean } & EndsOptions) => {
      const { store, email } = options;
      const request = checked(removeUser, { store_id: store, email, ...endsOf(options) }, { store_id: '--store' });
      printResult(
        admin,
        options,
        await admin.platform.call(removeUser, request),
        (user) => `${shown(user.email)} is no longer in ${user.store_id}.${creationsText(user)}`,
      );
    });
