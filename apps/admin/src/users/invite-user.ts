import { inviteUser, userRoles } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { loginLinkText } from './user-text.ts';

type Options = { store?: string; email?: string; name?: string; role?: string; seller?: string; json?: boolean };

export const inviteUserCommand = (admin: Admin): Command =>
  verb('invite', 'Give a person access to a store, and print their first login link; it works for 7 days', [
    'user invite --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --email ana@example.com --name "Ana Lima" --role owner',
  ])
    .option('--store <id>', 'the store (required)')
    .option('--email <address>', 'the email address, by which the person is known in every store (required)')
    .option('--name <name>', 'the name (required)')
    .option('--role <role>', `what the person may do: ${userRoles.join(', ')} (required)`)
    .option('--seller <id>', 'the seller who this person is; required for the role seller')
    .action(async (options: Options) => {
      const { store, email, name, role, seller } = options;
      const body = { store_id: store, email, name, role, seller_id: seller };
      const request = checked(inviteUser, body, { store_id: '--store', seller_id: '--seller' });
      printResult(admin, options, await admin.platform.call(inviteUser, request), loginLinkText);
    });
