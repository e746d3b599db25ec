import { disableUser } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { shown } from '../terminal.ts';

export const disableUserCommand = (admin: Admin): Command =>
  verb('disable', 'Disable a person in every store; sessions, links, password and passkeys end at once', [
    'user disable --email ana@example.com',
  ])
    .option('--email <address>', 'the email address (required)')
    .action(async (options: { email?: string; json?: boolean }) => {
      const request = checked(disableUser, { email: options.email });
      const disabled = await admin.platform.call(disableUser, request);
      printResult(admin, options, disabled, ({ users, ended_sessions }) => {
        const stores = users.map(({ store_id }) => store_id).join(', ');
        return `${shown(users[0]?.email ?? '')} is disabled in ${stores}. Sessions that ended: ${ended_sessions}.`;
      });
    });
