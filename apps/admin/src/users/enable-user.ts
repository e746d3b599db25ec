import { enableUser } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { shown } from '../terminal.ts';

export const enableUserCommand = (admin: Admin): Command =>
  verb('enable', 'Enable a disabled person again in every store; they need a new login link', [
    'user enable --email ana@example.com',
  ])
    .option('--email <address>', 'the email address (required)')
    .action(async (options: { email?: string; json?: boolean }) => {
      const request = checked(enableUser, { email: options.email });
      printResult(admin, options, await admin.platform.call(enableUser, request), ({ users }) => {
        const stores = users.map(({ store_id }) => store_id).join(', ');
        return `${shown(users[0]?.email ?? '')} is enabled in ${stores}.`;
      });
    });
